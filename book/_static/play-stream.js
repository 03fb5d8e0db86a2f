/* Chapter 10: answers come one by one and meet a noisy threshold; the first that passes, with its own noise, stops. */
play.register("stream", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, dots, at, laplace, linear, BLUE: TRUE, ORANGE: PRIVATE } = play;
  const [WIDTH, HEIGHT, BASE] = [480, 262, 220];
  const shown = data.answers.length;
  const y = linear(data.range, [BASE, 14]);
  const x = (i) => 30 + (i * (WIDTH - 40)) / shown;
  const step = (WIDTH - 40) / shown;
  const LEGEND = `Bars: the answers; dots: with noise. Dashed: the threshold, ${data.threshold}; dotted: with its noise. Nobody outside sees any of them.`;

  const controls = make("div", { className: "sf-explore-controls" }, stage);
  const privacy = play.slider(controls, { name: "epsilon", label: "ε, privacy", low: 0.1, high: 5, start: 1, digits: 2, format: String, act: () => anew() });
  const row = make("div", { className: "sf-play-row" }, stage);
  const next = button(row, "Next answer", () => more(1));
  const all = button(row, "Until it stops", () => more(shown));
  const again = button(row, "Start again", () => start());
  const told = sentence(stage, LEGEND);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  draw("line", { x1: 26, x2: WIDTH - 6, y1: BASE, y2: BASE, stroke: "currentColor" }, svg);
  const level = (value, colour, dash) =>
    draw("line", { x1: 26, x2: WIDTH - 6, y1: y(value), y2: y(value), stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }, svg);
  level(data.threshold, TRUE, "6 4");
  const noisy = level(data.threshold, PRIVATE, "2 3");
  draw("text", { x: 22, y: y(data.threshold) + 5, "text-anchor": "end", text: data.threshold, style: `fill:${TRUE}` }, svg);
  data.answers.forEach((_, i) => {
    draw("text", { x: x(i) + step / 2, y: BASE + 18, "text-anchor": "middle", text: i + 1 }, svg);
  });
  const bars = draw("path", { fill: TRUE, "fill-opacity": 0.45 }, svg);
  const [low, passed] = [0.5, 1].map((opacity) => dots(svg, 4.5, PRIVATE, opacity));
  const stop = draw("text", { y: BASE + 36, "text-anchor": "middle", text: "stop" }, svg);
  let run;

  const inside = (value) => Math.min(Math.max(y(value), 4), HEIGHT - 4);

  function show(words) {
    set(noisy, { y1: inside(run.level), y2: inside(run.level) });
    const bar = (_, i) => `M${x(i) + 2} ${BASE}V${y(data.answers[i])}h${step - 4}V${BASE}`;
    const marks = run.seen.map((seen, i) => at(x(i) + step / 2, inside(seen)));
    set(bars, { d: run.seen.map(bar).join("") });
    set(passed, { d: run.stopped ? marks.pop() : "" });
    set(low, { d: marks.join("") });
    set(stop, { x: x(run.seen.length - 1) + step / 2, visibility: run.stopped ? "visible" : "hidden" });
    const over = run.stopped || run.seen.length === shown;
    if (over && [next, all].includes(document.activeElement)) again.focus(); // a button that can't be pressed would lose it
    [next, all].forEach((way) => (way.disabled = over));
    told(words);
    svg.setAttribute("aria-label", words);
  }

  // Noise of scale 2/ε on the threshold, once, and 4/ε on each answer: sensitivity 1, ε-DP for one stop.
  function start() {
    run = { level: data.threshold + laplace(random, 2 / privacy.value()), seen: [], stopped: false };
    show(LEGEND);
  }

  function more(times) {
    for (let k = 0; k < times && !run.stopped && run.seen.length < shown; k++) {
      run.seen.push(data.answers[run.seen.length] + laplace(random, 4 / privacy.value()));
      run.stopped = run.seen.at(-1) >= run.level;
    }
    const above = data.answers.findIndex((answer) => answer >= data.threshold) + 1;
    const come = run.seen.length;
    show(
      run.stopped
        ? `Stopped at answer ${come}; without noise it would have been answer ${above}.`
        : `${come} answer${come > 1 ? "s" : ""}, none passed${come === shown ? ": the stream is over" : ""}.`,
    );
  }

  // The slider moved: a new run, as far as this one went.
  function anew() {
    const come = run.stopped ? shown : run.seen.length;
    start();
    if (come) more(come);
  }

  start();
  return { start, more, privacy, run: () => run };
});
