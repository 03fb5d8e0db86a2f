/* Chapter 10: answers come one by one and meet a noisy threshold; the first that passes, with its own noise, stops. */
play.register("stream", (stage, data, random, say) => {
  const { draw, set, make, button, laplace, linear } = play;
  const [WIDTH, HEIGHT, BASE] = [480, 262, 220];
  const shown = data.answers.length;
  const y = linear(data.range, [BASE, 14]);
  const x = (i) => 30 + (i * (WIDTH - 40)) / shown;
  const step = (WIDTH - 40) / shown;

  const controls = make("div", { className: "dp-explore-controls" }, stage);
  const privacy = play.slider(controls, { label: "ε, privacy", low: 0.1, high: 5, start: 1, digits: 2, format: String, act: () => start() });
  const row = make("div", { className: "dp-play-row" }, stage);
  const next = button(row, "Next answer", () => more(1));
  const all = button(row, "Until it stops", () => more(shown));
  button(row, "Start again", () => start());
  const told = make("p", {}, stage);
  told.setAttribute("role", "status");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  draw("line", { x1: 26, x2: WIDTH - 6, y1: BASE, y2: BASE, stroke: "currentColor" }, svg);
  const level = (value, colour, dash) =>
    draw("line", { x1: 26, x2: WIDTH - 6, y1: y(value), y2: y(value), stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }, svg);
  level(data.threshold, play.TRUE, "6 4");
  const noisy = level(data.threshold, play.PRIVATE, "2 3");
  draw("text", { x: 28, y: y(data.threshold) - 8, text: `threshold ${data.threshold}`, style: `fill:${play.TRUE}` }, svg);
  data.answers.forEach((_, i) => {
    draw("text", { x: x(i) + step / 2, y: BASE + 18, "text-anchor": "middle", text: i + 1 }, svg);
  });
  const marks = draw("g", {}, svg);
  let run;

  const inside = (value) => Math.min(Math.max(y(value), 4), HEIGHT - 4);

  // Noise of scale 2/ε on the threshold, once, and 4/ε on each answer: sensitivity 1, ε-DP for one stop.
  function start() {
    run = { level: data.threshold + laplace(random, 2 / privacy.value()), at: 0, stopped: false };
    marks.replaceChildren();
    set(noisy, { y1: inside(run.level), y2: inside(run.level) });
    [next, all].forEach((way) => (way.disabled = false));
    told.textContent = "Bars: the answers; dots: with noise. Dashed: the threshold; dotted: with its noise. Nobody outside sees any of them.";
    svg.setAttribute("aria-label", told.textContent);
  }

  function more(times) {
    for (let k = 0; k < times && !run.stopped && run.at < shown; k++) {
      const [i, answer] = [run.at, data.answers[run.at]];
      const seen = answer + laplace(random, 4 / privacy.value());
      const passes = seen >= run.level;
      draw("rect", { x: x(i) + 2, width: step - 4, y: y(answer), height: BASE - y(answer), fill: play.TRUE, "fill-opacity": 0.45 }, marks);
      draw("circle", { cx: x(i) + step / 2, cy: inside(seen), r: 4.5, fill: play.PRIVATE, "fill-opacity": passes ? 1 : 0.5 }, marks);
      if (passes) draw("text", { x: x(i) + step / 2, y: BASE + 36, "text-anchor": "middle", text: "stop" }, marks);
      run.at += 1;
      run.stopped = passes;
    }
    const above = data.answers.findIndex((answer) => answer >= data.threshold) + 1;
    told.textContent = run.stopped
      ? `Stopped at answer ${run.at}; without noise it would have been answer ${above}.`
      : `${run.at} answer${run.at > 1 ? "s" : ""}, none passed${run.at === shown ? ": the stream is over" : ""}.`;
    svg.setAttribute("aria-label", told.textContent);
    [next, all].forEach((way) => (way.disabled = run.stopped || run.at === shown));
  }

  start();
  return { start, more, privacy, run: () => run };
});
