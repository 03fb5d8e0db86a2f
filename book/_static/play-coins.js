/* Chapter 13: people toss coins before they answer; one by one, all at once, and the whole survey 200 times. */
play.register("coins", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, dots, at, coin, linear, BLUE: TRUE, ORANGE: PRIVATE, GREY: NEUTRAL } = play;
  const [WIDTH, PEOPLE, ACROSS, SIZE] = [480, 1000, 50, 9];
  const [TOP, HEIGHT] = [SIZE * (PEOPLE / ACROSS) + 20, 112];
  const BASE = TOP + HEIGHT - 42;
  const x = linear([0, 1], [30, WIDTH - 30]);

  const controls = make("div", { className: "sf-explore-controls" }, stage);
  const percent = (value) => `${Math.round(100 * value)}%`;
  const points = (share) => (100 * share).toFixed(1).replace("-", "−"); // few may lie so that less than nobody seems left
  const exactly = (share) => `${Number((100 * share).toPrecision(2))}%`; // as the figure computes with it
  const share = play.slider(controls, { name: "yes", label: "truly yes", low: 0.05, high: 0.95, start: 0.3, digits: 2, format: exactly, act: () => anew() });
  const honest = play.slider(controls, { name: "honest", label: "chance of the honest side", low: 0.1, high: 0.95, start: 0.5, digits: 2, format: exactly, act: () => anew() });
  const row = make("div", { className: "sf-play-row" }, stage);
  button(row, "Next person", () => more(1));
  button(row, "All 1,000", () => more(PEOPLE));
  button(row, "200 surveys", () => repeat(200));
  button(row, "Start again", () => survey(0));
  const told = sentence(stage, "1000 of 1000 say yes. Without the coins' yeses: 100.0%, truly 95%. ε = 1.10.");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${TOP + HEIGHT}`, role: "img" }, stage);
  const person = (_, i) => at(20 + (i % ACROSS) * SIZE, 8 + Math.floor(i / ACROSS) * SIZE);
  const places = Array.from({ length: PEOPLE }, person);
  const crowd = [[NEUTRAL, 0.6], [PRIVATE, 1], [NEUTRAL, 0.25]].map((look) => dots(svg, 3.4, ...look)); // no, yes, not asked
  play.axis(svg, x, [0, 0.25, 0.5, 0.75, 1], { y: BASE, format: percent, label: "estimated share of yes" });
  const band = draw("rect", { y: TOP, height: BASE - TOP, fill: PRIVATE, "fill-opacity": 0.2 }, svg);
  const bars = draw("path", { fill: PRIVATE }, svg);
  const truth = draw("line", { y1: TOP, y2: BASE, stroke: TRUE, "stroke-width": 2.5 }, svg);
  let answers; // 1 for yes
  let found; // the estimates of whole surveys

  // Heads (chance a): the truth.  Tails: a fair second coin decides.  So yes has the chance a f + (1 - a)/2.
  const says = (truly, a) => (coin(random, a) ? truly : coin(random));
  const chance = (f, a) => a * f + (1 - a) / 2;
  const estimate = (yes, people, a) => (yes / people - (1 - a) / 2) / a;
  const deviation = (f, a) => Math.sqrt((chance(f, a) * (1 - chance(f, a))) / PEOPLE) / a; // of a survey's estimate
  const epsilon = (a) => Math.log((1 + a) / (1 - a));
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

  function tell(words) {
    told(words);
    svg.setAttribute("aria-label", words);
  }
  const spent = () => `ε = ${epsilon(honest.value()).toFixed(2)}`;

  function survey(people) {
    [answers, found] = [[], []];
    set(bars, { d: "" });
    set(truth, { x1: x(share.value()), x2: x(share.value()) });
    const width = deviation(share.value(), honest.value());
    const [low, high] = [-1, 1].map((way) => x(Math.min(Math.max(share.value() + way * width, 0), 1)));
    set(band, { x: low, width: high - low });
    show();
    tell(`Nobody is asked yet. Surveys: deviation ${(100 * width).toFixed(1)} points (shaded). ${spent()}.`);
    if (people) more(people);
  }

  function show() {
    const kinds = [[], [], places.slice(answers.length)];
    answers.forEach((yes, i) => kinds[yes].push(places[i]));
    crowd.forEach((path, kind) => set(path, { d: kinds[kind].join("") }));
  }

  function more(people) {
    for (let i = 0; i < people && answers.length < PEOPLE; i++) {
      answers.push(Number(says(coin(random, share.value()), honest.value())));
    }
    show();
    const guess = estimate(sum(answers), answers.length, honest.value());
    const yes = `${sum(answers)} of ${answers.length} say yes. Without the coins' yeses: ${points(guess)}%`;
    tell(`${yes}, truly ${percent(share.value())}. ${spent()}.`);
  }

  // How many of all say yes, in as many surveys: binomial, by the sums of its chances.
  function tallies(times, yes) {
    const below = [];
    let [logarithm, total] = [PEOPLE * Math.log(1 - yes), 0];
    for (let k = 0; k <= PEOPLE; k++) {
      below.push((total += Math.exp(logarithm)));
      logarithm += Math.log(((PEOPLE - k) / (k + 1)) * (yes / (1 - yes)));
    }
    const first = (u) => {
      let [low, high] = [0, PEOPLE];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (below[middle] < u) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return Array.from({ length: times }, () => first(random()));
  }

  function repeat(times) {
    const yes = tallies(times, chance(share.value(), honest.value()));
    found.push(...yes.map((count) => estimate(count, PEOPLE, honest.value())));
    const counts = new Map();
    for (const guess of found) {
      const bin = Math.round(100 * Math.min(Math.max(guess, 0), 1));
      counts.set(bin, (counts.get(bin) ?? 0) + 1);
    }
    const high = Math.max(...counts.values());
    const bar = ([bin, count]) => `M${x(bin / 100) - 2} ${BASE}v${(-0.9 * (HEIGHT - 42) * count) / high}h4V${BASE}`;
    set(bars, { d: [...counts].map(bar).join("") });
    const mean = sum(found) / found.length;
    const spread = Math.sqrt(sum(found.map((guess) => (guess - mean) ** 2)) / found.length);
    const about = `${found.length} surveys: estimates about ${points(mean)}%`;
    tell(`${about}, standard deviation ${(100 * spread).toFixed(1)} points. ${spent()}.`);
  }

  // A slider moved: as many are asked again, and as many surveys made.
  function anew() {
    const surveys = found.length;
    survey(answers.length);
    if (surveys) repeat(surveys);
  }

  survey(0);
  return { survey, more, repeat, tallies, chance, deviation, estimate, epsilon, share, honest, answers: () => answers, found: () => found };
});
