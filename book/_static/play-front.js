/* The front page: a table that is published with noise, and a guesser who wants to know whether you are in it. */
play.register("front", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, laplace, coin, linear, BLUE: TRUE, ORANGE: PRIVATE } = play;
  const [WIDTH, ROW, LEFT, TOP] = [340, 20, 128, 0];
  const height = ROW * data.counts.length;
  const to = linear([0, data.most], [LEFT, WIDTH - 8]);

  const controls = make("div", { className: "sf-explore-controls sf-play-controls" }, stage);
  const privacy = play.slider(controls, {
    name: "epsilon", label: "ε", low: 0.0005, high: 5, start: data.start, digits: 2, format: String, ends: ["more private", "more exact"], act: () => publish(false),
  });
  button(controls, "Publish again", () => publish(true));
  const halves = make("div", { className: "sf-play-halves" }, stage);

  // The useful half: bars of what is published, marks of the truth.
  const useful = make("div", {}, halves);
  const error = sentence(useful, "About 2,000 off. Blue: truth.", { head: "Useful? ", status: false });
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img" }, useful);
  const bars = data.counts.map((count, i) => {
    const y = TOP + ROW * i;
    draw("text", { x: LEFT - 8, y: y + 14, "text-anchor": "end", text: data.jobs[i] }, svg);
    const bar = draw("rect", { x: LEFT, y: y + 3, height: 13, fill: PRIVATE }, svg);
    draw("rect", { x: to(count) - 1.5, y: y + 1, width: 3, height: 17, fill: TRUE }, svg);
    return bar;
  });

  // Your half: ten guesses whether you are in a table of three or of four; each stays on the line, as right or wrong.
  const game = make("div", {}, halves);
  const asked = sentence(game, "Count: −12345.6. Are you in?", { head: "Private? ", status: false });
  const line = draw("svg", { viewBox: `0 12 ${WIDTH} 54`, role: "img" }, game);
  draw("line", { x1: 4, x2: WIDTH - 4, y1: 44, y2: 44, stroke: "currentColor" }, line);
  const worlds = [["3 without you", "end"], ["with you 4", "start"]].map(([words, anchor]) => ({
    mark: draw("rect", { y: 38, width: 3, height: 12, fill: TRUE }, line),
    text: draw("text", { y: 61, "text-anchor": anchor, text: words }, line),
  }));
  const marks = draw("g", {}, line);
  const dot = draw("circle", { cy: 44, r: 6, fill: PRIVATE }, line);
  const choices = make("div", { className: "sf-play-row" }, game);
  const score = sentence(game, "10 of 10; the best guesser gets 9.9. Private, but too much is lost: slide right.");
  const buttons = [true, false].map((said) => button(choices, said ? "In" : "Not in", () => guess(said)));
  const again = button(choices, "Ten more", () => {
    start();
    buttons[0].focus();
  });
  let round;

  const people = (number) => number.toLocaleString("en-US", { maximumFractionDigits: number < 10 ? 1 : 0 });
  const best = (epsilon) => 1 - Math.exp(-epsilon / 2) / 2; // of this game, by the middle between the two counts
  const tenths = () => (10 * best(privacy.value())).toFixed(1);

  // What ten guesses have shown.
  function verdict() {
    const epsilon = privacy.value();
    const found = `${round.right} of 10; the best guesser gets ${tenths()}. `;
    if (epsilon > 0.2) return found + "Not private yet: slide left.";
    if (epsilon < 0.01) return found + "Private, but too much is lost: slide right.";
    return found + "Most stop here: only Armed-Forces is lost.";
  }

  // The line shows both counts and as much on both sides as the noise may move them.
  function place() {
    const reach = Math.max(2, 3 / privacy.value());
    const onLine = linear([3.5 - reach, 3.5 + reach], [10, WIDTH - 10]);
    worlds.forEach(({ mark, text }, i) => {
      set(mark, { x: onLine(3 + i) - 1.5 });
      set(text, { x: onLine(3 + i) + (i ? 3 : -3) }); // apart where both marks meet
    });
    return (count) => Math.min(Math.max(onLine(count), 8), WIDTH - 8);
  }

  function publish(aloud) {
    const scale = 1 / privacy.value();
    const shown = data.counts.map((count) => Math.max(0, count + laplace(random, scale)));
    bars.forEach((bar, i) => set(bar, { width: Math.min(to(shown[i]), WIDTH) - LEFT }));
    const words = `About ${people(scale)} off. Blue: truth.`;
    error(words);
    svg.setAttribute("aria-label", data.jobs.map((job, i) => `${job} ${Math.round(shown[i])}, truly ${data.counts[i]}`).join("; "));
    if (aloud) say("Published again. " + words);
    else start();
  }

  function start() {
    round = { played: 0, right: 0, at: place() };
    marks.replaceChildren();
    score("Find an ε at which a coin guesses as well, and the table stays useful.");
    again.hidden = true;
    next();
  }

  function next() {
    round.inside = coin(random);
    round.count = 3 + round.inside + laplace(random, 1 / privacy.value());
    const count = round.count.toFixed(1).replace("-", "−");
    asked(`Count: ${count}. Are you in?`);
    line.setAttribute("aria-label", `A number line with 3, without you, and 4, with you; the noisy count is ${count}.`);
    set(dot, { cx: round.at(round.count), visibility: "visible" });
    buttons.forEach((choice) => (choice.disabled = false));
  }

  function guess(said) {
    const right = said === round.inside;
    round.played += 1;
    round.right += right;
    const look = { "text-anchor": "middle", text: right ? "✓" : "✗", style: `fill: var(--se-${right ? "right" : "wrong"})` };
    draw("text", { x: round.at(round.count), y: 34 - 12 * (round.played % 2), ...look }, marks);
    const head = `${right ? "Right" : "Wrong"}, you were ${round.inside ? "" : "not "}in: `;
    if (round.played < 10) {
      score(`${head}${round.right} of ${round.played}.`);
      return next();
    }
    score(verdict());
    set(dot, { visibility: "hidden" });
    again.hidden = false;
    if (buttons.includes(document.activeElement)) again.focus(); // a button that can't be pressed would lose it
    buttons.forEach((choice) => (choice.disabled = true));
  }

  publish(false);
  return { best, guess, round: () => round, privacy, publish };
});
