/* Chapter 4: one question, asked again and again; the ledger runs, and the average of the answers narrows. */
play.register("ledger", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, laplace, linear } = play;
  const [WIDTH, HEIGHT, BASE, REACH, TICKS] = [480, 200, 150, 40, 300];
  const x = linear([data.truth - REACH, data.truth + REACH], [16, WIDTH - 16]);

  const controls = make("div", { className: "dp-explore-controls" }, stage);
  const privacy = play.slider(controls, {
    name: "epsilon", label: "ε of one answer", low: 0.05, high: 2, start: 0.1, format: (value) => value.toFixed(value < 1 ? 3 : 2), act: () => anew(),
  });
  const row = make("div", { className: "dp-play-row" }, stage);
  for (const times of [1, 10, 100]) button(row, times === 1 ? "Ask" : `Ask ${times} times`, () => ask(times));
  button(row, "Start again", () => forget());
  const told = sentence(stage, "10000 answers, ε = 20000 spent. Their average is 100.0, with a standard deviation of 0.014.");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  play.axis(svg, x, [-40, -20, 0, 20, 40].map((step) => data.truth + step), { y: BASE, label: "people" });
  const ticks = draw("path", { fill: "none", stroke: play.PRIVATE, "stroke-opacity": 0.5 }, svg);
  const spread = draw("rect", { y: 40, height: 100, fill: play.PRIVATE, "fill-opacity": 0.2 }, svg);
  const middle = draw("line", { y1: 30, y2: BASE, stroke: play.PRIVATE, "stroke-width": 2.5 }, svg);
  draw("line", { x1: x(data.truth), x2: x(data.truth), y1: 20, y2: BASE, stroke: play.TRUE, "stroke-width": 2.5 }, svg);
  draw("text", { x: x(data.truth) + 6, y: 16, text: "the truth", style: `fill:${play.TRUE}` }, svg);
  let book;

  const deviation = (epsilon, times) => Math.SQRT2 / epsilon / Math.sqrt(times); // of the average

  function show(average, width, words) {
    const edge = (value) => Math.min(Math.max(x(value), 16), WIDTH - 16);
    set(spread, { x: edge(average - width), width: edge(average + width) - edge(average - width) });
    set(middle, { x1: edge(average), x2: edge(average), visibility: book.times ? "visible" : "hidden" });
    set(ticks, { d: book.seen.map((answer) => `M${x(answer).toFixed(1)} ${BASE}v-9`).join("") });
    told(words);
    svg.setAttribute("aria-label", words);
  }

  function forget() {
    book = { times: 0, sum: 0, seen: [] };
    const typical = (1 / privacy.value()).toPrecision(2); // the mean of an answer's error
    show(data.truth, deviation(privacy.value(), 1), `Nothing is asked yet: ε = 0 is spent. The typical error of one answer is ${typical}.`);
  }

  function ask(times) {
    for (let i = 0; i < times; i++) {
      const answer = data.truth + laplace(random, 1 / privacy.value());
      book.times += 1;
      book.sum += answer;
      if (Math.abs(answer - data.truth) <= REACH && book.seen.length < TICKS) book.seen.push(answer);
    }
    const [average, width] = [book.sum / book.times, deviation(privacy.value(), book.times)];
    const spent = Number((book.times * privacy.value()).toPrecision(4));
    show(
      average,
      width,
      `${book.times} answer${book.times > 1 ? "s" : ""}, ε = ${spent} spent. ` +
        `Their average is ${average.toFixed(1)}, with a standard deviation of ${width.toPrecision(2)}.`,
    );
  }

  // The slider moved: as many are asked again.
  function anew() {
    const { times } = book;
    forget();
    if (times) ask(times);
  }

  forget();
  return { ask, forget, deviation, privacy, book: () => book };
});
