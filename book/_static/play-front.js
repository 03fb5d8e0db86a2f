/* The front page: a table that is published with noise, and a guesser who wants to know whether you are in it. */
play.register("front", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, laplace, coin, linear } = play;
  const [WIDTH, ROW, LEFT, TOP] = [340, 22, 128, 0];
  const height = ROW * data.counts.length + 20;
  const to = linear([0, data.most], [LEFT, WIDTH - 8]);

  const controls = make("div", { className: "dp-explore-controls dp-play-controls" }, stage);
  const privacy = play.slider(controls, {
    label: "ε, privacy", low: 0.0005, high: 5, start: data.start, digits: 2, format: String, act: () => publish(false),
  });
  button(controls, "Publish again", () => publish(true));
  const halves = make("div", { className: "dp-play-halves" }, stage);

  // The useful half: bars of what is published, marks of the truth.
  const useful = make("div", {}, halves);
  const error = sentence(useful, "Counts are off by about 2,000.", { head: "Useful? ", status: false });
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img" }, useful);
  const bars = data.counts.map((count, i) => {
    const y = TOP + ROW * i;
    draw("text", { x: LEFT - 8, y: y + 15, "text-anchor": "end", text: data.jobs[i] }, svg);
    const bar = draw("rect", { x: LEFT, y: y + 3, height: 14, fill: play.PRIVATE }, svg);
    draw("rect", { x: to(count) - 1.5, y: y + 1, width: 3, height: 18, fill: play.TRUE }, svg);
    return bar;
  });
  draw("text", { x: (LEFT + WIDTH) / 2, y: height - 5, "text-anchor": "middle", text: "people (blue: the truth)" }, svg);

  // Your half: ten guesses whether you are in a table of three or of four.
  const game = make("div", {}, halves);
  const asked = sentence(game, "Three people and perhaps you are −12345.6, with noise. Are you in?", { head: "Private? ", status: false });
  const choices = make("div", { className: "dp-play-row" }, game);
  const score = sentence(game, "Wrong: 10 of 10. Ten guesses; the best guesser gets 9.9 right.");
  const buttons = [true, false].map((said) => button(choices, said ? "In" : "Not in", () => guess(said)));
  const again = button(choices, "Ten more", () => start());
  let round;

  const people = (number) => number.toLocaleString("en-US", { maximumFractionDigits: number < 10 ? 1 : 0 });
  const best = (epsilon) => 1 - Math.exp(-epsilon / 2) / 2; // of this game, by the middle between the two counts

  const possible = () => `Ten guesses; the best guesser gets ${(10 * best(privacy.value())).toFixed(1)} right.`;

  function publish(aloud) {
    const scale = 1 / privacy.value();
    const shown = data.counts.map((count) => Math.max(0, count + laplace(random, scale)));
    bars.forEach((bar, i) => set(bar, { width: Math.min(to(shown[i]), WIDTH) - LEFT }));
    const words = `Counts are off by about ${people(scale)}.`;
    error(words);
    svg.setAttribute("aria-label", data.jobs.map((job, i) => `${job} ${Math.round(shown[i])}, truly ${data.counts[i]}`).join("; "));
    if (aloud) say("Published again. " + words);
    else start();
  }

  function start() {
    round = { played: 0, right: 0 };
    score(possible());
    again.hidden = true;
    next();
  }

  function next() {
    round.inside = coin(random);
    round.count = 3 + round.inside + laplace(random, 1 / privacy.value());
    asked(`Three people and perhaps you are ${round.count.toFixed(1).replace("-", "−")}, with noise. Are you in?`);
    buttons.forEach((choice) => (choice.disabled = false));
  }

  function guess(said) {
    round.played += 1;
    round.right += said === round.inside;
    const verdict = said === round.inside ? "Right" : "Wrong";
    score(`${verdict}: ${round.right} of ${round.played}. ${possible()}`);
    if (round.played < 10) return next();
    buttons.forEach((choice) => (choice.disabled = true));
    again.hidden = false;
  }

  publish(false);
  return { best, guess, round: () => round, privacy, publish };
});
