/* Chapter 4: one question, asked again and again; the ledger runs, and the average of the answers narrows. */
play.register("ledger", (stage, data, random, say) => {
  const { draw, set, make, button, laplace, linear } = play;
  const [WIDTH, HEIGHT, BASE, REACH] = [480, 200, 150, 40];
  const x = linear([data.truth - REACH, data.truth + REACH], [16, WIDTH - 16]);

  const controls = make("div", { className: "dp-explore-controls" }, stage);
  const privacy = play.slider(controls, {
    label: "ε of one answer", low: 0.05, high: 2, start: 0.1, digits: 2, format: String, act: () => forget(),
  });
  const row = make("div", { className: "dp-play-row" }, stage);
  for (const times of [1, 10, 100]) button(row, times === 1 ? "Ask" : `Ask ${times} times`, () => ask(times));
  button(row, "Start again", () => forget());
  const told = make("p", {}, stage);
  told.setAttribute("role", "status");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  play.axis(svg, x, [-40, -20, 0, 20, 40].map((step) => data.truth + step), { y: BASE, label: "people" });
  const ticks = draw("g", {}, svg);
  const spread = draw("rect", { y: 40, height: 100, fill: play.PRIVATE, "fill-opacity": 0.2 }, svg);
  const middle = draw("line", { y1: 30, y2: BASE, stroke: play.PRIVATE, "stroke-width": 2.5 }, svg);
  draw("line", { x1: x(data.truth), x2: x(data.truth), y1: 20, y2: BASE, stroke: play.TRUE, "stroke-width": 2.5 }, svg);
  draw("text", { x: x(data.truth) + 6, y: 16, text: "the truth", style: `fill:${play.TRUE}` }, svg);
  let book;

  const deviation = (epsilon, times) => Math.SQRT2 / epsilon / Math.sqrt(times); // of the average

  function forget() {
    book = { times: 0, sum: 0 };
    ticks.replaceChildren();
    set(spread, { x: x(data.truth), width: 0, visibility: "hidden" });
    set(middle, { x1: 0, x2: 0, visibility: "hidden" });
    told.textContent = "Nothing is asked yet: ε = 0 is spent.";
    svg.setAttribute("aria-label", told.textContent);
  }

  function ask(times) {
    for (let i = 0; i < times; i++) {
      const answer = data.truth + laplace(random, 1 / privacy.value());
      book.times += 1;
      book.sum += answer;
      if (Math.abs(answer - data.truth) > REACH || ticks.childElementCount >= 300) continue;
      draw("line", { x1: x(answer), x2: x(answer), y1: BASE - 9, y2: BASE, stroke: play.PRIVATE, "stroke-opacity": 0.5 }, ticks);
    }
    const [average, width] = [book.sum / book.times, deviation(privacy.value(), book.times)];
    const edge = (value) => Math.min(Math.max(x(value), 16), WIDTH - 16);
    set(spread, { x: edge(average - width), width: edge(average + width) - edge(average - width), visibility: "visible" });
    set(middle, { x1: edge(average), x2: edge(average), visibility: "visible" });
    const spent = Number((book.times * privacy.value()).toPrecision(4));
    told.textContent =
      `${book.times} answer${book.times > 1 ? "s" : ""}, ε = ${spent} spent. ` +
      `Their average, ${average.toFixed(1)}, is off by about ${width.toPrecision(2)}.`;
    svg.setAttribute("aria-label", told.textContent);
  }

  forget();
  return { ask, forget, deviation, privacy, book: () => book };
});
