/* The planner's second sheet: a count or a mean of few people, its noise beside the luck of the draw (planning.js). */
planSheets.few = (stage, data, settings) => {
  const { draw, set, make, sentence, linear, BLUE: TRUE, ORANGE: PRIVATE } = play;
  const { figure, thousands } = judging;
  const [WIDTH, HEIGHT, LEFT, BASE] = [480, 220, 72, 176];
  const EPSILONS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10];
  const { fields, choice, number, hide } = asking.form(stage, { id: "few", settings, act: () => show() });
  choice("answer", "The answer", [["count", "a count of yes"], ["mean", "a mean"]]);
  number("asked", "People who are asked", "100");
  number("yes", "Of them say yes, about", "20%");
  number("lower", "Lowest value", "0");
  number("upper", "Highest value", "100");
  number("middleValue", "Mean, about", "40");
  number("spread", "Spread, about", "15");
  const slid = make("div", { className: "asking-slid" }, stage);
  const epsilon = asking.typed(slid, { id: "few-epsilon", name: "fewEpsilon", label: "ε of this answer", stops: EPSILONS, start: "1", settings, glides: true,
    act: () => show(), read: (text) => asking.price("epsilon", text) });
  const words = sentence(stage, "", {});
  stage.querySelector(".sf-play-told").classList.add("asking-told");

  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  const held = draw("g", {}, svg);
  const lines = [["by luck", TRUE], ["by noise", PRIVATE]].map(([text, stroke], i) => ({
    path: draw("path", { fill: "none", stroke, "stroke-width": 2 }, svg),
    name: draw("text", { x: WIDTH - 8, y: 16 + 18 * i, "text-anchor": "end", style: `fill:${stroke}`, text }, svg),
  }));
  const here = draw("line", { y1: 12, y2: BASE, stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "5 4" }, svg);
  const row = make("div", { className: "sf-play-row" }, stage);
  play.button(row, "The program: dp_helpers", () => now && asking.handOver(stage, "dp_helpers", planCode.few(now.asked), "plan_few.py"));
  play.button(row, "Judge this answer's claim", () => now && location.assign(asking.judgeAddress(data.judge, {
    epsilon: now.asked.epsilon, delta: 0, unit: "person", publications: "named", period: "once", exceptions: "none",
  })));

  const planOf = (asked) => (asked.kind === "mean" ? planning.meanOf(asked) : planning.count(asked));
  function state() {
    const problems = [];
    const use = (found) => (found.problem && problems.push(found.problem), found.value);
    const plain = (name, words) => {
      const [value] = numbers.readings(fields[name].value);
      if (value === undefined) problems.push(`${words}, “${fields[name].value}”, can't be read as a number.`);
      return value;
    };
    const kind = fields.answer.value;
    const asked = { kind, people: use(asking.whole(fields.asked.value, "People who are asked", 1e9)), epsilon: use(epsilon.value()) };
    if (!problems.length && !asked.epsilon) problems.push("Type an ε.");
    if (kind === "count") {
      asked.share = plain("yes", "The share who say yes");
      if (!(asked.share > 0 && asked.share < 1)) problems.push("Of them say yes: write a share between 0 and 1, such as 20%.");
      return { asked, problems };
    }
    Object.assign(asked, { lower: plain("lower", "The lowest value"), upper: plain("upper", "The highest value"),
      mean: plain("middleValue", "The mean"), spread: plain("spread", "The spread") });
    if (problems.length) return { asked, problems };
    const { lower, upper, mean, spread } = asked;
    if (!(lower < mean && mean < upper)) return { asked, problems: ["The mean must lie between the lowest and the highest value."] };
    const most = Math.sqrt((upper - mean) * (mean - lower));
    if (!(spread > 0 && spread <= most * (1 + 1e-9)))
      problems.push(`The spread, a standard deviation, must be above 0 and at most ${figure(most)}, that of values at the bounds.`);
    return { asked, problems };
  }

  let now = null;
  function show() {
    const { asked, problems } = state();
    for (const name of ["lower", "upper", "middleValue", "spread"]) hide(name, asked.kind === "count");
    hide("yes", asked.kind === "mean");
    row.querySelectorAll("button").forEach((one) => (one.disabled = problems.length > 0));
    svg.style.visibility = problems.length ? "hidden" : "";
    now = problems.length ? null : { asked, plan: planOf(asked) };
    words(now ? told(now) : problems.join(" "));
    if (now) picture(now);
  }

  const size = (value) => (value >= 100 ? thousands(value) : String(Number(value.toPrecision(2))));
  function told({ asked, plan }) {
    const of = asked.kind === "mean" ? "" : asked.people === 1 ? " of one person" : ` of ${thousands(asked.people)} people`;
    const weighs = plan.noise <= plan.luck ? "less" : "more";
    return [
      `Nineteen of twenty ${asked.kind === "mean" ? "means" : "counts"}${of} are at most ${size(plan.noise)} off by the noise, and ${size(plan.luck)} by the luck of who was asked: about ${size(plan.width)} by both.`,
      `Here the noise weighs ${weighs} than luck; it weighs no more from ${plan.usefulFrom === 1 ? "one person" : `${thousands(plan.usefulFrom)} people`} on.`,
      asked.people * asked.epsilon < 20 && asked.kind === "mean" ? "So few people at so small an ε: the forecast is rough, and the mean may come out anywhere between the bounds." : "",
      "A person has one row, and is added or removed.",
    ].filter(Boolean).join(" ");
  }

  // How far off by either, from ten people to many: counts as shares of the people, so that both fall.
  function picture({ asked, plan }) {
    const last = Math.max(4, Math.ceil(Math.log10(Math.max(asked.people, plan.usefulFrom))));
    const x = linear([0, last], [LEFT, WIDTH - 12]);
    const per = (people, width) => (asked.kind === "count" ? width / people : width);
    const curves = ["luck", "noise"].map((name) => [0, last / 2, last].map((power) => {
      const people = 10 ** power;
      return [power, Math.log10(per(people, planOf({ ...asked, people })[name]))];
    }));
    const heights = curves.flat().map(([, height]) => height);
    const [lowest, highest] = [Math.floor(Math.min(...heights)), Math.ceil(Math.max(...heights))];
    const y = linear([lowest, highest], [BASE, 44]);
    lines.forEach(({ path }, i) => set(path, { d: `M${curves[i].map(([power, height]) => `${x(power).toFixed(1)} ${y(height).toFixed(1)}`).join("L")}` }));
    const at = x(Math.log10(asked.people));
    set(here, { x1: at, x2: at });
    const reaches = `${asked.kind} ${last} ${lowest} ${highest}`;
    if (held.dataset.reaches !== reaches) axes(reaches, asked.kind === "count", x, y, last, lowest, highest);
    svg.setAttribute("aria-label", `With ${thousands(asked.people)} people, ${size(plan.noise)} off by noise and ${size(plan.luck)} by luck; the lines cross at ${thousands(plan.usefulFrom)} people.`);
  }

  // As a hand slides they stay for most of the way.
  function axes(reaches, shares, x, y, last, lowest, highest) {
    held.dataset.reaches = reaches;
    held.replaceChildren();
    play.axis(held, x, Array.from({ length: last + 1 }, (_, i) => i), { y: BASE, format: (tick) => (tick < 4 ? thousands(10 ** tick) : `10${"⁰¹²³⁴⁵⁶⁷⁸⁹"[tick]}`), label: "people who are asked" });
    const every = Math.ceil((highest - lowest) / 4);
    for (let tick = lowest; tick <= highest; tick += every)
      draw("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end", text: shares ? `${size(100 * 10 ** tick)}%` : size(10 ** tick) }, held);
    draw("text", { x: 4, y: 16, text: shares ? "off, share of all" : "off" }, held);
  }

  show();
  return { show, state, now: () => now };
};
