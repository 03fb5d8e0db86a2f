/* Chapter 13: people toss coins before they answer; one by one, all at once, and the whole survey 200 times. */
play.register("coins", (stage, data, random, say) => {
  const { draw, set, make, button, coin, linear } = play;
  const [WIDTH, PEOPLE, ACROSS, SIZE] = [480, 1000, 50, 9];
  const [TOP, HEIGHT] = [SIZE * (PEOPLE / ACROSS) + 20, 112];
  const x = linear([0, 1], [24, WIDTH - 24]);

  const controls = make("div", { className: "dp-explore-controls" }, stage);
  const percent = (value) => `${Math.round(100 * value)}%`;
  const share = play.slider(controls, { label: "truly yes", low: 0.05, high: 0.95, start: 0.3, format: percent, act: () => survey(0) });
  const honest = play.slider(controls, { label: "chance of the honest side", low: 0.1, high: 0.95, start: 0.5, format: percent, act: () => survey(0) });
  const row = make("div", { className: "dp-play-row" }, stage);
  button(row, "Next person", () => more(1));
  button(row, "All 1,000", () => more(PEOPLE));
  button(row, "200 surveys", () => repeat(200));
  button(row, "Start again", () => survey(0));
  const told = make("p", {}, stage);
  told.setAttribute("role", "status");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${TOP + HEIGHT}`, role: "img" }, stage);
  const dots = Array.from({ length: PEOPLE }, (_, i) =>
    draw("circle", { cx: 20 + (i % ACROSS) * SIZE, cy: 8 + Math.floor(i / ACROSS) * SIZE, r: 3.4, fill: play.NEUTRAL, "fill-opacity": 0.25 }, svg),
  );
  play.axis(svg, x, [0, 0.25, 0.5, 0.75, 1], { y: TOP + HEIGHT - 42, format: percent, label: "estimated share of yes" });
  const bars = draw("g", { fill: play.PRIVATE }, svg);
  const truth = draw("line", { y1: TOP, y2: TOP + HEIGHT - 42, stroke: play.TRUE, "stroke-width": 2.5 }, svg);
  let asked;
  let found;

  // Heads (chance a): the truth.  Tails: a fair second coin decides.  So yes has the chance a f + (1 - a)/2.
  const says = (truly, a) => (coin(random, a) ? truly : coin(random));
  const estimate = (yes, people, a) => (yes / people - (1 - a) / 2) / a;
  const epsilon = (a) => Math.log((1 + a) / (1 - a));

  function survey(people) {
    asked = { people: 0, yes: 0 };
    found = [];
    dots.forEach((dot) => set(dot, { fill: play.NEUTRAL, "fill-opacity": 0.25 }));
    bars.replaceChildren();
    set(truth, { x1: x(share.value()), x2: x(share.value()) });
    told.textContent = `Nobody is asked yet. One answer is ${epsilon(honest.value()).toFixed(2)}-locally private.`;
    svg.setAttribute("aria-label", told.textContent);
    if (people) more(people);
  }

  function more(people) {
    for (let i = 0; i < people && asked.people < PEOPLE; i++) {
      const said = says(coin(random, share.value()), honest.value());
      set(dots[asked.people], { fill: said ? play.PRIVATE : play.NEUTRAL, "fill-opacity": said ? 1 : 0.6 });
      asked.people += 1;
      asked.yes += said;
    }
    const guess = estimate(asked.yes, asked.people, honest.value());
    told.textContent = `${asked.yes} of ${asked.people} say yes. Without the coins' yeses: ${(100 * guess).toFixed(1)}%, truly ${percent(share.value())}.`;
    svg.setAttribute("aria-label", told.textContent);
  }

  function repeat(times) {
    for (let t = 0; t < times; t++) {
      let yes = 0;
      for (let i = 0; i < PEOPLE; i++) yes += says(coin(random, share.value()), honest.value());
      found.push(estimate(yes, PEOPLE, honest.value()));
    }
    const counts = new Map();
    for (const guess of found) {
      const bin = Math.round(100 * Math.min(Math.max(guess, 0), 1));
      counts.set(bin, (counts.get(bin) ?? 0) + 1);
    }
    const high = Math.max(...counts.values());
    bars.replaceChildren();
    for (const [bin, count] of counts) {
      const tall = (0.9 * (HEIGHT - 42) * count) / high;
      draw("rect", { x: x(bin / 100) - 2, width: 4, y: TOP + HEIGHT - 42 - tall, height: tall }, bars);
    }
    const mean = found.reduce((sum, guess) => sum + guess, 0) / found.length;
    const spread = Math.sqrt(found.reduce((sum, guess) => sum + (guess - mean) ** 2, 0) / found.length);
    told.textContent = `${found.length} surveys: the estimates lie about ${(100 * mean).toFixed(1)}%, typically ${(100 * spread).toFixed(1)} points off.`;
    svg.setAttribute("aria-label", told.textContent);
  }

  survey(0);
  return { survey, more, repeat, estimate, epsilon, share, honest, asked: () => asked, found: () => found };
});
