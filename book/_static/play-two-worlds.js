/* Chapter 3: the noisy answer without you and with you; drag a peak, draw answers, play the game. */
play.register("two-worlds", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, dots, at, laplace, coin, linear, ORANGE: PRIVATE, GREY: NEUTRAL } = play;
  const [WIDTH, HEIGHT, BASE, LOW, HIGH, DOTS, CORNERS] = [480, 236, 190, -15, 20, 300, 60];
  const x = linear([LOW, HIGH], [24, WIDTH - 12]);
  const y = linear([0, 0.55], [BASE, 16]);
  const density = (t, centre, scale) => Math.exp(-Math.abs(t - centre) / scale) / (2 * scale);
  const cap = (epsilon) => Math.exp(epsilon) / (1 + Math.exp(epsilon)); // of any attacker, against any ε-DP answer

  const controls = make("div", { className: "sf-explore-controls" }, stage);
  const format = (value) => value.toFixed(value < 1 ? 2 : 1);
  const privacy = play.slider(controls, { name: "epsilon", label: "ε, privacy", low: 0.1, high: 1, start: 0.5, digits: 2, format, act: () => show() });
  const moved = play.slider(controls, { name: "sensitivity", label: "sensitivity", low: 1, high: 10, start: 1, digits: 2, format, act: () => show() });
  const told = sentence(stage, "Noise of scale 1.11. An attacker wins at most 73.1 of 100 rounds.", { status: false });
  const svg = draw("svg", { viewBox: `0 -8 ${WIDTH} ${HEIGHT + 8}`, role: "img" }, stage); // room for a phone's larger letters
  play.axis(svg, x, [-15, -10, -5, 0, 5, 10, 15, 20], { y: BASE, label: "answer minus the count without you" });
  const rain = [NEUTRAL, PRIVATE].map((colour) => dots(svg, 2.2, colour));
  const curves = [NEUTRAL, PRIVATE].map((stroke) => draw("path", { fill: "none", stroke, "stroke-width": 2.5 }, svg));
  // Above the highest peaks, so that no curve, dot or handle ever lies on them.
  const names = ["without you", "with you"].map((text, i) =>
    draw("text", { text, y: 12, style: `fill:${[NEUTRAL, PRIVATE][i]}`, "text-anchor": i ? "start" : "end" }, svg),
  );
  const handle = draw("circle", { r: 9, fill: PRIVATE, "fill-opacity": 0.35, stroke: PRIVATE, cursor: "ew-resize" }, svg);
  const row = make("div", { className: "sf-play-row" }, stage);
  button(row, "Draw 20 answers", () => rounds(20));
  button(row, "Play 10,000 rounds", () => rounds(10_000));
  const score = sentence(stage, "10,000 of 10,000 rounds won: 100.0 of 100.");
  let tally;
  let fallen; // where the answers without you and with you lie

  // The curve from its peak to an end, its corners closest at the peak.
  const slope = (end, centre, scale) =>
    Array.from({ length: CORNERS + 1 }, (_, i) => {
      const t = centre + (end - centre) * (i / CORNERS) ** 2;
      return `${x(t).toFixed(1)} ${y(density(t, centre, scale)).toFixed(1)}`;
    });

  function show() {
    const [scale, shift] = [moved.value() / privacy.value(), moved.value()];
    [0, shift].forEach((centre, k) => {
      set(curves[k], { d: `M${slope(LOW, centre, scale).reverse().join("L")}L${slope(HIGH, centre, scale).join("L")}` });
      set(names[k], { x: x(centre) + (k ? 4 : -4) });
      if (k) set(handle, { cx: x(centre), cy: y(density(0, 0, scale)) });
    });
    const words = `Noise of scale ${scale.toPrecision(3)}. An attacker wins at most ${(100 * cap(privacy.value())).toFixed(1)} of 100 rounds.`;
    told(words);
    svg.setAttribute("aria-label", `Two Laplace peaks, at 0 and at ${shift}. ${words}`);
    tally = { played: 0, won: 0 };
    fallen = [[], []];
    land();
    score("");
  }

  const land = () => rain.forEach((path, k) => set(path, { d: fallen[k].join("") }));

  function rounds(number) {
    const [scale, shift] = [moved.value() / privacy.value(), moved.value()];
    for (let i = 0; i < number; i++) {
      const inside = coin(random);
      const answer = shift * inside + laplace(random, scale);
      tally.played += 1;
      tally.won += answer > shift / 2 === inside;
      if (answer < LOW || answer > HIGH || fallen[0].length + fallen[1].length >= DOTS) continue;
      fallen[Number(inside)].push(at(x(answer), BASE - 4 - 24 * random()));
    }
    land();
    const share = ((100 * tally.won) / tally.played).toFixed(1);
    score(`${tally.won.toLocaleString("en-US")} of ${tally.played.toLocaleString("en-US")} rounds won: ${share} of 100.`);
  }

  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = svg.getBoundingClientRect();
    moved.put(Math.min(10, Math.max(1, x.back(((event.clientX - box.left) * WIDTH) / box.width))));
    show();
  });

  show();
  return { density, cap, rounds, show, privacy, moved, tally: () => tally };
});
