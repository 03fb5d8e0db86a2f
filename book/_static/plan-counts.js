/* The planner's first sheet: counts by group from typed numbers.  The sums are planning.js's, the programs plan-code.js's. */
window.planSheets = {};
planSheets.counts = (stage, data, settings) => {
  const { draw, set, make, sentence, linear, BLUE: TRUE, ORANGE: PRIVATE } = play;
  const { figure, thousands } = judging;
  const [WIDTH, HEIGHT, LEFT, BASE] = [480, 250, 68, 206];
  const BOUNDS = [1, 3, 10, 30];
  const PER_YEAR = { day: 365, week: 365 / 7, month: 12, quarter: 4, year: 1 };
  const EPSILONS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10];
  const MOST = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 40, 50, 70, 100];
  const { fields, number, choice, hide } = asking.form(stage, { id: "plan", settings, act: () => show() });
  number("people", "How many people");
  number("groups", "How many groups");
  number("share", "In the largest group");
  number("middle", "Groups of a person, middle");
  number("tenth", "… of 1 in 10");
  number("hundredth", "… of 1 in 100");
  choice("counted", "What is counted", [["people", "people"], ["rows", "their rows"]]);
  number("rowsMiddle", "Rows in a group, middle");
  number("rowsTenth", "… of 1 in 10");
  number("rowsHundredth", "… of 1 in 100");
  choice("list", "The list of groups", [["found", "must be found"], ["public", "is public"]]);
  choice("noise", "The noise", [["laplace", "Laplace"], ["normal", "normal"]]);
  number("delta", "δ of a publication");
  choice("period", "Published", [["day", "each day"], ["week", "each week"], ["month", "each month"], ["quarter", "each quarter"], ["year", "each year"]]);
  number("whole", "ε in all");
  const loading = make("div", { className: "sf-play-row" }, stage);
  play.button(loading, "Load the book's visits", () => (fill(data.visits), show()));
  const slid = make("div", { className: "asking-slid" }, stage);
  const slide = (name, label, stops, start, read, glides) => asking.typed(slid, { id: `plan-${name}`, name, label, stops, start, read, settings, glides, act: show });
  const epsilon = slide("epsilon", "ε, one publication", EPSILONS, "1", (text) => asking.price("epsilon", text), true);
  const mostGroups = slide("mostGroups", "groups a person counts in", MOST, "3", (text) => asking.whole(text, "Groups a person counts in", 1e6));
  const mostRows = slide("mostRows", "rows a person counts in each", MOST, "1", (text) => asking.whole(text, "Rows a person counts", 1e6));
  const words = sentence(stage, "", {});
  stage.querySelector(".sf-play-told").classList.add("asking-told", "asking-long");

  // ---- The picture: groups from the largest on, what they have (blue), what is counted (orange) and how wide its noise is.
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  const held = draw("g", {}, svg);
  const band = draw("path", { fill: PRIVATE, "fill-opacity": 0.25 }, svg);
  const all = draw("path", { fill: "none", stroke: TRUE, "stroke-width": 2 }, svg);
  const kept = draw("path", { fill: "none", stroke: PRIVATE, "stroke-width": 2 }, svg);
  const cut = draw("line", { stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "5 4" }, svg);
  [["people in the group", TRUE], ["counted, with the width of the noise", PRIVATE]].forEach(([text, fill], i) =>
    draw("text", { x: WIDTH - 8, y: 16 + 18 * i, "text-anchor": "end", style: `fill:${fill}`, text }, svg));
  const cutName = draw("text", { x: LEFT + 4 }, svg);
  const table = make("table", { className: "asking-table" }, make("div", { className: "asking-wide" }, stage));
  const line = (cells, tag) => {
    const made = make("tr", {}, table);
    return cells.map((textContent) => make(tag, { textContent }, made));
  };
  const [, ...columns] = line(["groups a person counts in", "published", "dropped", "noise, ±", "known to a tenth from"], "th");
  const compared = BOUNDS.map((most) => line([most, ...columns.map(() => "")], "td").slice(1));
  const row = make("div", { className: "sf-play-row" }, stage);
  const programs = planCode.TEXTS.map(([name, title, file]) => [name,
    play.button(row, `Code: ${title}`, () => now && asking.handOver(stage, title, planCode[name](now.asked), file))]);
  play.button(row, "Judge this claim", () => now && location.assign(asking.judgeAddress(data.judge, claim(now.asked))));
  play.button(row, "Save the picture", () => {
    const copy = svg.cloneNode(true);
    set(copy, { xmlns: "http://www.w3.org/2000/svg", style: "font:13px sans-serif;background:white" });
    make("a", { href: URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" })), download: "plan.svg" }).click();
  });

  const claim = ({ epsilon, delta, noiseDelta }) => ({
    epsilon, delta: delta + noiseDelta, unit: "person", publications: "all", period: fields.period.value, exceptions: "none",
  });

  function fill(values) {
    for (const [name, value] of Object.entries(values)) fields[name].value = value;
  }

  function state() {
    const problems = [];
    const use = (found) => (found.problem && problems.push(found.problem), found.value);
    const rising = (names, called) => {
      const three = names.map((name) => use(asking.whole(fields[name].value, called)));
      if (three[0] > three[1] || three[1] > three[2]) problems.push(`${called}: the three numbers must rise.`);
      return three;
    };
    const rows = fields.counted.value === "rows";
    const people = use(asking.whole(fields.people.value, "How many people", 1e10));
    const [share] = numbers.readings(fields.share.value);
    if (!(share > 0 && share < 1)) problems.push("In the largest group: write a share of the people, such as 25%.");
    const given = {
      groups: use(asking.whole(fields.groups.value, "How many groups", 1e6)), largestShare: share,
      groupsOfAPerson: rising(["middle", "tenth", "hundredth"], "Groups of a person"),
      rowsInAGroup: rows ? rising(["rowsMiddle", "rowsTenth", "rowsHundredth"], "Rows in a group") : [1, 1, 1],
    };
    if (given.groups < 2) problems.push("How many groups: at least 2.");
    const [found, normal] = [fields.list.value === "found", fields.noise.value === "normal"];
    const delta = found || normal ? use(asking.price("delta", fields.delta.value, people)) : 0;
    if ((found || normal) && !problems.length && !delta) problems.push(`To find the groups, or for normal noise, takes a δ above 0, such as 10^-6.`);
    const each = found && normal ? delta / 2 : delta; // both spend some
    const asked = {
      people, epsilon: use(epsilon.value()), mostGroups: use(mostGroups.value()), mostRows: rows ? use(mostRows.value()) : null,
      delta: found ? each : 0, noiseDelta: normal ? each : 0,
    };
    return { given, asked, whole: use(asking.price("epsilon", fields.whole.value)), problems };
  }

  let [now, known] = [null, { typed: "", twin: null }];
  function show() {
    const { given, asked, whole, problems } = state();
    for (const name of ["rowsMiddle", "rowsTenth", "rowsHundredth"]) hide(name, fields.counted.value === "people");
    hide("delta", fields.list.value === "public" && fields.noise.value === "laplace");
    for (const [name, button] of programs) button.hidden = fields.noise.value === "normal" && planCode.LAPLACE_ONLY.includes(name);
    mostRows.row.hidden = fields.counted.value === "people";
    row.querySelectorAll("button").forEach((one) => (one.disabled = problems.length > 0));
    for (const drawn of [svg, table]) drawn.style.visibility = problems.length ? "hidden" : ""; // they show what was typed before
    if (problems.length) {
      now = null;
      return words(problems.join(" "));
    }
    const typed = JSON.stringify(given);
    if (typed !== known.typed) known = { typed, twin: planning.twin(given) };
    now = { asked, plan: planning.plan(known.twin, asked), whole, groups: given.groups };
    words(told(now));
    picture(now.plan, asked);
    compare(asked);
  }

  const inEvery = (plan) => plan.known && plan.known < plan.people.at(-1) + 1; // known is rounded up
  const percent = (share) => `${Math.round(100 * share)}%`;
  function told({ asked, plan, whole, groups }) {
    const days = whole && planning.lasts(asked.epsilon, asked.delta + asked.noiseDelta, whole);
    const added = whole && Math.floor(whole / asked.epsilon + 1e-9);
    const better = days > added ? ` (${thousands(added)} if ε is only added: the rest is worth a δ of 10⁻¹⁰ more)` : "";
    const years = days / PER_YEAR[fields.period.value];
    const time = years < 0.5 ? `${figure(Math.floor(365 * years))} days` : `${years.toFixed(1)} years`;
    const what = asked.mostRows ? "rows" : "people in groups";
    return [
      plan.threshold === null ? `All ${thousands(groups)} groups are published.`
        : plan.published < 0.5 ? `Hardly any of ${thousands(groups)} groups is published: it takes ${thousands(Math.ceil(plan.threshold))} people or more, once each person is bounded.` : `About ${thousands(plan.published)} of ${thousands(groups)} groups are published: those with ${thousands(Math.ceil(plan.threshold))} people or more, once each person is bounded.`,
      `The bound drops about ${percent(plan.dropped)} of the ${what}, and ${percent(plan.droppedOfHeavy)} of those of the tenth with the most groups.`,
      `Nineteen of twenty counts are at most ${figure(Math.ceil(10 * plan.width) / 10)} off, besides what is dropped;`,
      inEvery(plan) ? "what is counted is known to a tenth in every group." : plan.known ? `what is counted is known to a tenth in groups of ${thousands(plan.known)} people or more.` : "no group's count is known to a tenth.",
      whole ? `ε = ${figure(whole)} in all lasts ${days === 1 ? "one publication" : `${thousands(days)} publications`}${better}${days ? `, ${time}` : ""}.` : "",
    ].join(" ");
  }

  function picture(plan, asked) {
    const groups = plan.groups.reduce((total, times) => total + times, 0);
    const x = linear([0, Math.log10(groups)], [LEFT, WIDTH - 12]);
    const top = Math.ceil(Math.log10(Math.max(plan.people[0], plan.kept[0]) + plan.width));
    const y = linear([0, Math.max(top, 1)], [BASE, 12]);
    const high = (value) => y(Math.log10(Math.max(value, 1)));
    let rank = 0;
    const places = plan.groups.map((times) => ((rank += times), x(Math.log10(rank - (times - 1) / 2))));
    const line = (values) => `M${values.map((value, i) => `${places[i].toFixed(1)} ${high(value).toFixed(1)}`).join("L")}`;
    const seen = plan.appears.findLastIndex((chance) => chance >= 0.5) + 1;
    const shown = plan.kept.slice(0, seen);
    set(all, { d: line(plan.people) });
    set(kept, { d: seen ? line(shown) : "" });
    const under = shown.map((value, i) => `${places[i].toFixed(1)} ${high(value - plan.width).toFixed(1)}`).reverse();
    set(band, { d: seen ? `${line(shown.map((value) => value + plan.width))}L${under.join("L")}Z` : "" });
    const cuts = plan.threshold !== null && !asked.mostRows; // the threshold is one of people
    const at = cuts ? high(plan.threshold) : BASE;
    set(cut, { x1: LEFT, x2: WIDTH - 12, y1: at, y2: at, visibility: cuts ? "visible" : "hidden" });
    set(cutName, { y: at + 16, text: cuts ? `threshold, ${thousands(Math.ceil(plan.threshold))} people` : "" });
    if (held.dataset.reaches !== `${groups} ${top}`) axes(x, y, groups, top);
    svg.setAttribute("aria-label", `Groups from the largest on: the largest has ${thousands(plan.people[0])} people, of which ${thousands(plan.kept[0])} are counted, give or take ${figure(plan.width)}.`);
  }

  // As a hand slides they stay for most of the way.
  function axes(x, y, groups, top) {
    held.dataset.reaches = `${groups} ${top}`;
    held.replaceChildren();
    const ticks = (last) => Array.from({ length: last + 1 }, (_, i) => i);
    play.axis(held, x, ticks(Math.floor(Math.log10(groups))), { y: BASE, format: (tick) => thousands(10 ** tick), label: "rank of the group" });
    for (const tick of ticks(Math.max(top, 1))) draw("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end", text: tick < 4 ? thousands(10 ** tick) : `10${"⁰¹²³⁴⁵⁶⁷⁸⁹"[tick]}` }, held);
  }

  function compare(asked) {
    BOUNDS.forEach((most, i) => {
      const plan = planning.plan(known.twin, { ...asked, mostGroups: most });
      const found = [thousands(plan.published), percent(plan.dropped), figure(Math.ceil(10 * plan.width) / 10), inEvery(plan) ? "all groups" : plan.known ? thousands(plan.known) : "none"];
      found.forEach((text, k) => set(compared[i][k], { text }));
    });
  }

  fill(data.start);
  return { show, state, now: () => now };
};
