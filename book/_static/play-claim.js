/* Chapter 24 and the page "Judge a claim": a claim of differential privacy, what is missing in it, and what it comes to for
   the reader's own events and time.  Judged by judging.js, read by asking.js, taken away by claim-letter.js. */
play.register("claim", (stage, data) => {
  const { draw, set, make, sentence, linear, ORANGE: PRIVATE, GREY: NEUTRAL } = play;
  const { atMost } = judging;
  const [WIDTH, HEIGHT, LEFT, BASE] = [480, 176, 16, 138];
  const DAYS = [1, 2, 3, 5, 7, 10, 14, 21, 28, 30, 31, 60, 90, 120, 180, 270, 365, 730, 1095, 1825, 3650];
  const EVENTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 70, 100];
  const settings = stage.closest(".sf-play").settings;

  // ---- The form.  What is typed last counts: an ε takes the ρ out, and a ρ takes out ε and δ.
  const form = make("div", { className: "sf-play-form" }, stage);
  const fields = {};
  let replaced = {};
  const typedLast = { epsilon: ["rho"], delta: ["rho"], rho: ["epsilon", "delta"] };
  function typed(name) {
    if (name === "card") return fill(fields.card.value);
    if (name === "fear") return;
    fields.card.value = "own";
    if (name === "period") fields.times.value = 1; // a number of times belonged to what was chosen before
    const out = fields[name].value.trim() ? (typedLast[name] ?? []).filter((other) => fields[other].value) : [];
    for (const other of out) fields[other].value = "";
    const gone = { rho: "The ρ was", epsilon: "The ε was", delta: "The δ was" }[out[0]];
    if (gone) replaced = { by: name, said: `${gone} taken out: a claim has one price.` };
    else if (name in typedLast && name !== replaced.by) replaced = {}; // while one types on, it is still said
  }
  function field(name, words, element) {
    const row = make("div", {}, form);
    element.id = `claim-${name}`;
    make("label", { textContent: words, htmlFor: element.id }, row);
    row.append(element);
    fields[name] = element;
    element.addEventListener("input", () => (typed(name), show()));
    settings.set(name, {
      read: () => element.value,
      put: (text) => {
        if (element.options && ![...element.options].some((option) => option.value === text)) return;
        element.value = text;
        if (name === "card") fill(text);
        show();
      },
    });
  }
  function choice(name, words, options) {
    const select = make("select", { autocomplete: "off" });
    for (const [value, textContent] of options) make("option", { value, textContent }, select);
    field(name, words, select);
  }
  const number = (name, words) => field(name, words, make("input", { type: "text", autocomplete: "off", size: 6 }));

  const unsaid = ["", "not said"];
  choice("card", "Claim", [["own", "your own: type it"], ...data.cards.map((card) => [card.name, card.label])]);
  number("epsilon", "ε");
  number("delta", "δ");
  number("rho", "or ρ");
  number("n", "n, rows or people");
  choice("unit", "Whose data", [unsaid, ["event", "an event, a row"], ["person-day", "a person's day"], ["person", "a person, all rows"],
    ["household", "a household"], ["per-record", "a record: less for large ones"]]);
  choice("neighbours", "Changed how", [unsaid, ["add/remove", "added or removed"], ["replace-one", "replaced"]]);
  choice("publications", "What is published", [unsaid, ["all", "all of it counts"], ["named", "some: others come on top"]]);
  choice("period", "How often", [unsaid, ["once", "in all"], ...["hour", "day", "week", "month", "quarter", "year"].map((name) => [name, `each ${name}`])]);
  number("times", "How many times");
  choice("model", "Whom to trust", [unsaid, ["central", "the office"], ["local", "only your device"], ["shuffled", "a shuffler"], ["masked", "masked sums"],
    ["enclave", "an open machine"]]);
  choice("exceptions", "Exceptions", [unsaid, ["none", "none, it says"], ["named", "it names some"]]);
  choice("fear", "Your fear", [["claim", "what it is about"], ["presence", "that you took part"], ["content", "what your data say"]]);
  const slid = make("div", { className: "asking-slid" }, stage);
  const events = asking.typed(slid, { id: "claim-events", name: "events", label: "your events in each", stops: EVENTS, start: "1", settings, act: show, read: (text) => asking.whole(text, "Your events", 1e4) });
  const days = asking.typed(slid, { id: "claim-days", name: "days", label: "your time, in days", stops: DAYS, start: "365", settings, act: show, read: asking.days });
  const words = sentence(stage, "", {});
  const told = stage.querySelector(".sf-play-told");
  told.classList.add("asking-told");
  const noted = make("p", { className: "asking-note" }, stage);

  // ---- The bars.
  const x = linear([-1, 5], [LEFT, WIDTH - 3 * LEFT]);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "asking-bars" }, stage);
  play.axis(svg, x, [-1, 1, 3, 5], { y: BASE, format: (tick) => (tick < 0 ? "0.1" : (10 ** tick).toLocaleString("en-US")), label: "ε at most" });
  const bars = ["as claimed", "you, in one publication", "you, in your time"].map((label, row) => ({
    label,
    bar: draw("rect", { x: LEFT, y: 22 + 42 * row, height: 14, fill: row ? PRIVATE : NEUTRAL }, svg),
    text: draw("text", { x: LEFT, y: 16 + 42 * row }, svg),
  }));
  const row = make("div", { className: "sf-play-row" }, stage);
  for (const [name, title, file] of claimLetter.TEXTS)
    play.button(row, title, () => {
      const asked = state();
      asking.handOver(stage, title, claimLetter[name](asked.claim, judged(asked), fields.card.selectedOptions[0].textContent), file);
    });

  function fill(name) {
    const card = data.cards.find((one) => one.name === name);
    if (!card) return;
    replaced = {};
    const price = card.rho === undefined ? { ...card, rho: "" } : { ...card, epsilon: "", delta: "" }; // the ρ adds up better
    for (const key of ["epsilon", "delta", "rho", "unit", "neighbours", "publications", "period", "model", "exceptions"])
      fields[key].value = String(price[key] ?? "").replace("-", key === "delta" ? "−" : "-");
    fields.times.value = card.times ?? 1;
    fields.n.value = "";
  }

  // What is typed and chosen: the claim, the reader's own, and what can't be read.
  function state() {
    const typedN = asking.whole(fields.n.value, "n", 1e12);
    const n = typedN.value;
    const [epsilon, delta, rho] = ["epsilon", "delta", "rho"].map((name) => asking.price(name, fields[name].value, n));
    const chosen = Object.fromEntries(["unit", "neighbours", "publications", "period", "model", "exceptions"].map((name) => [name, fields[name].value || null]));
    const read = { times: asking.whole(fields.times.value, "How many times"), events: events.value(), days: days.value() };
    const used = { times: chosen.period, events: chosen.unit === "event", days: chosen.period && (chosen.period !== "once" || chosen.unit === "person-day") };
    const problems = [epsilon, delta, rho, ...Object.keys(used).filter((name) => used[name]).map((name) => read[name])].map((one) => one.problem);
    if (delta.asksN && fields.n.value.trim()) problems.push(typedN.problem);
    const value = (name) => (used[name] && read[name].value) || 1;
    if (!problems.some(Boolean) && delta.value !== null && epsilon.value === null) problems.push("A δ belongs to an ε, and there is none.");
    const slack = epsilon.pure && delta.value === null ? 0 : delta.value;
    return {
      claim: { epsilon: epsilon.value, delta: slack, rho: rho.value, times: value("times"), ...chosen },
      own: { fear: fields.fear.value, events: value("events"), days: value("days") },
      problems: problems.filter(Boolean),
      notes: [...(replaced.said ? [replaced.said] : []), ...[epsilon, delta, rho].flatMap((one) => one.notes ?? [])],
      seen: { ...used, delta: !fields.rho.value.trim(), n: delta.asksN, fear: chosen.unit && chosen.period },
    };
  }

  function judged({ claim, own, problems }) {
    const found = judging.judge(claim, own);
    if (!problems.length) return found;
    const besides = found.missing.filter((gap) => !/[ερδ]/.test(gap));
    const missing = besides.length ? ` Missing besides: ${besides.join(", ")}.` : "";
    return { ...found, claimed: null, release: null, total: null, verdict: `${problems.join(" ")} No verdict until then.${missing}` };
  }

  function show() {
    const now = state();
    const found = judged(now);
    for (const name of ["delta", "n", "times", "fear"]) fields[name].parentElement.hidden = !now.seen[name];
    events.row.hidden = !now.seen.events;
    days.row.hidden = !now.seen.days;
    [found.claimed, found.release, found.total].forEach((bound, i) => {
      const known = bound && bound.delta < 1;
      const end = known ? Math.min(Math.max(x(Math.log10(bound.epsilon)), LEFT + 2), WIDTH) : LEFT;
      set(bars[i].bar, { width: end - LEFT });
      set(bars[i].text, { text: `${bars[i].label}: ${known ? `ε = ${atMost(bound.epsilon)}` : bound ? "nothing promised" : "can't be said"}` });
    });
    words(found.verdict);
    set(noted, { text: now.notes.join("; ") });
    svg.setAttribute("aria-label", bars.map(({ text }) => text.textContent).join("; "));
  }

  play.button(row, "Clear", () => {
    for (const name of Object.keys(fields)) fields[name].value = { card: "own", times: 1, fear: "claim" }[name] ?? "";
    replaced = {};
    events.put("1");
    days.put("365");
    show();
  });

  fields.card.value = data.start;
  fill(data.start);
  show();
  return { ...judging, price: asking.price, state, judged: () => judged(state()), events, days, letter: claimLetter };
});
