/* The planner's third sheet: what a training by DP-SGD costs at a noise, or the noise for a cost.  The sums, which take
   about a second, are training.js's. */
planSheets.training = (stage, data, settings) => {
  const { make, sentence } = play;
  const { figure, thousands, power } = judging;
  const { RANGE } = training;
  const SIGMAS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 15, 20];
  const EPSILONS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10];
  const { fields, choice, number } = asking.form(stage, { id: "training", settings, act: () => show() });
  number("rows", "Rows, one a person", "50,000");
  number("batch", "Rows of a batch, or a share", "500");
  number("length", "How long", "10");
  choice("counted in", "… counted in", [["epochs", "epochs"], ["steps", "steps"]]);
  number("trainingDelta", "δ of the training", "10^-5");
  choice("given", "What you know", [["sigma", "the noise, σ"], ["epsilon", "the price, ε"]]);
  const slid = make("div", { className: "asking-slid" }, stage);
  const slide = (name, label, stops, start, read) => asking.typed(slid, { id: `training-${name}`, name: `training-${name}`, label, stops, start, read, settings, glides: true, act: () => show() });
  const sigma = slide("sigma", "noise σ, in clipping lengths", SIGMAS, "1", (text) => {
    const [value] = numbers.readings(text);
    return value > 0 ? { value } : { problem: `σ, “${text}”, can't be read: write a number above 0.` };
  });
  const epsilon = slide("epsilon", "ε of the whole training", EPSILONS, "3", (text) => asking.price("epsilon", text));
  const words = sentence(stage, "", {});
  stage.querySelector(".sf-play-told").classList.add("asking-told");
  const table = make("table", { className: "asking-table" }, make("div", { className: "asking-wide" }, stage));
  const row = make("div", { className: "sf-play-row" }, stage);
  play.button(row, "The training: dp_helpers", () => now && asking.handOver(stage, "dp_helpers", planCode.training(now), "plan_training.py"));
  play.button(row, "Judge this training's claim", () => now && location.assign(asking.judgeAddress(data.judge, {
    epsilon: now.epsilon, delta: now.delta, unit: "event", publications: "all", period: "once", exceptions: "named", // the number of rows
  })));

  // What is typed, and what is outside of the range for which the sums are tested.
  function state() {
    const problems = [];
    const use = (found) => (found.problem && problems.push(found.problem), found.value);
    const rows = use(asking.whole(fields.rows.value, "Rows", 1e10));
    const [typed] = numbers.readings(fields.batch.value);
    const batch = typed < 1 ? Math.max(1, Math.round(typed * rows)) : typed;
    if (!Number.isInteger(batch) || batch < 1) problems.push(`Rows of a batch, “${fields.batch.value}”, must be a whole number, or a share such as 1%.`);
    const [long] = numbers.readings(fields.length.value);
    if (!(long > 0)) problems.push(`How long, “${fields.length.value}”, must be a number above 0.`);
    const q = batch / rows;
    const steps = Math.max(1, Math.ceil(fields["counted in"].value === "epochs" ? long / q - 1e-9 : long));
    const delta = use(asking.price("delta", fields.trainingDelta.value, rows));
    const given = fields.given.value;
    const known = given === "sigma" ? { sigma: use(sigma.value()) } : { wanted: use(epsilon.value()) };
    if (!problems.length && given === "epsilon" && !known.wanted) problems.push("Type an ε.");
    if (!problems.length && !delta) problems.push("A training has a δ above 0: normal noise gives no other promise. Write one such as 10^-5.");
    const outside = (value, [low, high], words) => !problems.length && !(value >= low && value <= high) && problems.push(words);
    outside(q, RANGE.q, `The batch is ${percent(q)} of the rows; this page counts from 0.01% to 50%.`);
    outside(steps, RANGE.steps, `These are ${thousands(steps)} steps; this page counts up to 100,000.`);
    outside(delta, RANGE.delta, "This page counts for a δ from 10⁻⁹ to 10⁻⁴. A larger one lets a row be published whole.");
    if (given === "sigma") outside(known.sigma, RANGE.sigma, "This page counts for a σ from 0.5 to 20.");
    return { asked: { rows, batch, q, steps, delta, given, ...known }, problems };
  }

  const percent = (share) => `${Number((100 * share).toPrecision(3))}%`;
  const steps = (number) => (number === 1 ? "one step" : `${thousands(number)} steps`);
  const up = (value) => { // three digits, never down
    const unit = 10 ** (2 - Math.floor(Math.log10(value)));
    return Math.ceil(value * unit - 1e-9) / unit;
  };
  let [now, waiting] = [null, 0];
  function show() {
    const { asked, problems } = state();
    sigma.row.hidden = asked.given !== "sigma";
    epsilon.row.hidden = asked.given === "sigma";
    clearTimeout(waiting);
    now = null;
    buttons();
    table.replaceChildren();
    if (stage.hidden) return;
    words(problems.length ? problems.join(" ") : "Counting …");
    if (!problems.length) waiting = setTimeout(() => count(asked), 150);
  }
  const buttons = () => row.querySelectorAll("button").forEach((one) => (one.disabled = !now));

  function count({ given, wanted, ...asked }) {
    const noise = given === "sigma" ? asked.sigma : training.sigma({ ...asked, epsilon: wanted });
    if (noise === undefined) return words(`By this page's bound no σ up to 20 is enough for ε = ${figure(wanted)}: take fewer steps or smaller batches.`);
    const exact = training.epsilon({ ...asked, sigma: noise });
    now = { ...asked, wanted, sigma: noise, exact, epsilon: Math.max(up(Math.max(exact, 1e-9)), 0.001) };
    words(told(now));
    buttons();
    compare([0.5, 1, 2, 4].map((times) => Math.min(Math.max(Number((noise * times).toPrecision(4)), RANGE.sigma[0]), RANGE.sigma[1])));
  }

  function told({ batch, q, steps: many, delta, sigma: noise, epsilon: price, wanted }) {
    const epochs = Number((many * q).toPrecision(3));
    const what = `${steps(many)} over ${percent(q)} of the rows${epochs >= 1 ? ` (${epochs === 1 ? "one epoch" : `${epochs} epochs`})` : ""}`;
    return [
      wanted === undefined ? `At σ = ${noise}, ${what} ${many === 1 ? "costs" : "cost"} at most ε = ${figure(price)}, δ = ${power(delta)}.`
        : noise === RANGE.sigma[0] ? `Within ε = ${figure(wanted)}, ${what} ${many === 1 ? "stays" : "stay"} at σ = ${noise}, the least that this page counts: ε = ${figure(price)}, δ = ${power(delta)}.`
        : `To stay within ε = ${figure(wanted)}, δ = ${power(delta)}, ${what} ${many === 1 ? "needs" : "need"} σ = ${noise}, at which the bound is ${figure(price)}.`,
      `In a step each number of the mean gradient gets noise of ${Number((noise / batch).toPrecision(2))} of the clipping length.`,
      "It holds for a row added or removed, if each step draws every row by a coin of its own (Poisson sampling), cuts each row's gradient to one length, and the number of rows is public; all steps may be seen.",
      "A shuffled list that is cut into batches isn't Poisson sampling, and this ε is no bound for it.",
    ].join(" ");
  }

  // Other noises for the same training, one after the other, so that the page stays awake.
  function compare(noises) {
    const asked = now;
    const line = (cells, tag) => {
      const made = make("tr", {}, table);
      cells.forEach((textContent) => make(tag, { textContent }, made));
    };
    table.replaceChildren();
    line(["noise σ", "ε at most"], "th");
    const next = ([first, ...rest]) => {
      if (asked !== now || first === undefined) return;
      const price = first === asked.sigma ? asked.exact : training.epsilon({ ...asked, sigma: first });
      line([first, price < 0.001 ? "0.001" : figure(up(price))], "td");
      waiting = setTimeout(() => next(rest), 30);
    };
    next([...new Set(noises)]);
  }

  return { show, state, now: () => now };
};
