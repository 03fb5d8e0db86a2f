/* Chapter 24: a claim of differential privacy, what is missing in it, and what it comes to for the reader's own events and
   time.  A promise is {epsilon, delta} or {rho}. */
play.register("claim", (stage, data, random, say) => {
  const { draw, set, make, sentence, linear, ORANGE: PRIVATE, GREY: NEUTRAL } = play;
  const [WIDTH, HEIGHT, LEFT, BASE, READ_AT, SUSPECTED] = [480, 176, 16, 138, 1e-10, 0.01];
  const PER_DAY = { once: 0, "6 hours": 4, day: 1, week: 1 / 7, month: 12 / 365 };
  const settings = stage.closest(".sf-play").settings;

  // ---- The arithmetic, that of dp.group_privacy, dp.sequential_composition, dp.zcdp_to_dp.
  const isRho = (promise) => promise.rho !== undefined;

  function group(promise, size) {
    if (isRho(promise)) return { rho: size ** 2 * promise.rho };
    const [epsilon, total] = [promise.epsilon, size * promise.epsilon];
    const grown = (promise.delta * Math.exp(total - epsilon) * Math.expm1(-total)) / Math.expm1(-epsilon);
    return { epsilon: total, delta: promise.delta ? Math.min(grown, 1) : 0 };
  }

  const repeat = (promise, times) =>
    isRho(promise)
      ? { rho: times * promise.rho }
      : { epsilon: times * promise.epsilon, delta: Math.min(times * promise.delta, 1) };

  // The best order: the derivative by t = order - 1 has the sign of rho t^2 + ln delta + ln(1 + t), which rises.
  function zcdpToDp(rho, delta) {
    let [low, high] = [0, Math.sqrt(-Math.log(delta) / rho)];
    for (let step = 0; step < 200; step++) {
      const t = (low + high) / 2;
      if (rho * t * t < -Math.log(delta) - Math.log1p(t)) low = t;
      else high = t;
    }
    return Math.max(rho * (1 + high) - Math.log1p(1 / high) - (Math.log(delta) + Math.log1p(high)) / high, 0);
  }

  const read = (promise) => (isRho(promise) ? { epsilon: zcdpToDp(promise.rho, READ_AT), delta: READ_AT } : promise);

  // A belief of 1 in 100 whose odds grow by e^epsilon.
  const belief = (epsilon) => 1 / (1 + ((1 - SUSPECTED) / SUSPECTED) * Math.exp(-epsilon));

  // What the claim comes to: for one unit in one release, for the reader's data in one release, and in the whole time.
  function total(claim, own) {
    const events = claim.unit === "event" ? own.events : 1;
    const local = claim.model === "local"; // each report is a release of its own
    const changed = own.fear === "content" && claim.neighbours === "add/remove" ? 2 : 1; // out with one row, in with another
    const periods = claim.period === "once" ? 1 : Math.max(1, Math.ceil(own.days * PER_DAY[claim.period] - 1e-9));
    const once = group(claim.promise, changed * (local ? 1 : events));
    const release = local ? repeat(once, events) : once;
    return { claimed: read(claim.promise), release: read(release), all: read(repeat(release, periods)), periods };
  }

  // ---- What is missing.
  const GAPS = { unit: "whose data (the unit)", period: "how often", neighbours: "how they change", model: "whom to trust" };

  function judge(claim, own) {
    const missing = Object.keys(GAPS).filter((name) => !claim[name]).map((name) => GAPS[name]);
    const also = missing.length ? ` Missing: ${missing.join(", ")}.` : "";
    if (!claim.promise) return { words: `This can't be judged: no ε, and no ρ.${also}` };
    if (!claim.unit || !claim.period) return { words: `This can't be judged.${also} Ask for it.` };
    if (own.fear === "presence" && claim.neighbours === "replace-one")
      return { words: `A claim about replaced data says nothing about whether you took part.${also}` };
    const found = total(claim, own);
    if (found.all.delta >= 1) return { found, words: `By this bound nothing is promised: δ has come to 1.${also}` };
    return { found, words: `${told(found)}${also}` };
  }

  const figure = (value) => (value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3))));
  const small = (delta) => (delta ? `, but for δ = ${delta.toPrecision(2).replace("-", "−")}` : "");
  function told({ all, periods }) {
    const may = 100 * belief(all.epsilon);
    const rises = may > 99.99 ? "more than 99.99" : may < 10 ? (Math.ceil(10 * may) / 10).toFixed(1) : String(Math.ceil(may));
    const releases = periods === 1 ? "one release" : `${figure(periods)} releases`;
    return `After ${releases}: ε = ${figure(all.epsilon)} at most${small(all.delta)}. A suspicion of 1 in 100 may rise to ${rises} in 100.`;
  }

  // ---- The form.
  const form = make("div", { className: "sf-play-form" }, stage);
  const fields = {};
  function field(name, words, element) {
    const row = make("div", {}, form);
    element.id = `claim-${name}`;
    make("label", { textContent: words, htmlFor: element.id }, row);
    row.append(element);
    fields[name] = element;
    element.addEventListener("input", () => {
      if (name === "card") fill(element.value);
      else if (name !== "fear") fields.card.value = "own";
      show();
    });
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
  const number = (name, words) => field(name, words, make("input", { type: "text", inputMode: "decimal", autocomplete: "off", size: 6 }));

  const unstated = ["", "not stated"];
  choice("card", "Claim", [["own", "your own: type it"], ...data.cards.map((card) => [card.name, card.label])]);
  number("epsilon", "ε");
  number("delta", "δ");
  number("rho", "or ρ");
  choice("unit", "Whose data", [unstated, ["event", "one event (a report, a row)"], ["person", "all that a person adds"]]);
  choice("period", "How often", [unstated, ...Object.keys(PER_DAY).map((name) => [name, name === "once" ? "once" : `every ${name}`])]);
  choice("neighbours", "Changed how", [unstated, ["add/remove", "added or removed"], ["replace-one", "replaced"]]);
  choice("model", "Whom to trust", [unstated, ["central", "the office that collects"], ["local", "only your device"]]);
  choice("fear", "Your fear", [["content", "what your data say"], ["presence", "that you took part"]]);

  const controls = make("div", { className: "sf-explore-controls" }, stage);
  const round = (value) => [365, 730, 3650].find((years) => Math.abs(value / years - 1) < 0.01) ?? Math.round(value); // whole years
  const whole = (low, high, start, name, label, format) =>
    play.slider(controls, { name, label, low, high, start, format: (value) => format(round(value)), act: () => show() });
  const events = whole(1, 100, 1, "events", "your events", String);
  const days = whole(1, 3650, 365, "days", "your time", (value) => (value === 1 ? "1 day" : `${value} days`));

  const longest = "After 14,600 releases: ε = 1,460,000 at most, but for δ = 0.000012. A suspicion of 1 in 100 may rise to more than 99.99 in 100.";
  const words = sentence(stage, `${longest} Missing: ${Object.values(GAPS).join(", ")}.`);

  // ---- The bars.
  const x = linear([-1, 5], [LEFT, WIDTH - 2 * LEFT]);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, stage);
  play.axis(svg, x, [-1, 1, 3, 5], { y: BASE, format: (tick) => (tick < 0 ? "0.1" : (10 ** tick).toLocaleString("en-US")), label: "ε at most" });
  const bars = ["as claimed", "you, in one release", "you, in your time"].map((label, row) => ({
    label,
    bar: draw("rect", { x: LEFT, y: 22 + 42 * row, height: 14, fill: row ? PRIVATE : NEUTRAL }, svg),
    text: draw("text", { x: LEFT, y: 16 + 42 * row }, svg),
  }));

  function fill(name) {
    const card = data.cards.find((one) => one.name === name);
    if (!card) return;
    for (const key of ["epsilon", "delta", "rho", "unit", "period", "neighbours", "model"]) fields[key].value = card[key] ?? "";
  }

  const typed = (name) => numbers.readings(fields[name].value)[0];
  function claimed() {
    const [epsilon, delta, rho] = ["epsilon", "delta", "rho"].map(typed);
    const promise = rho > 0 ? { rho } : epsilon > 0 && !(delta < 0 || delta >= 1) ? { epsilon, delta: delta ?? 0 } : null;
    const chosen = Object.fromEntries(Object.keys(GAPS).map((name) => [name, fields[name].value]));
    return { promise, ...chosen };
  }

  function show() {
    const claim = claimed();
    const own = { fear: fields.fear.value, events: round(events.value()), days: round(days.value()) };
    const { found, words: verdict } = judge(claim, own);
    const values = found ? [found.claimed, found.release, found.all] : claim.promise ? [read(claim.promise)] : [];
    bars.forEach(({ label, bar, text }, row) => {
      const promise = values[row];
      const known = promise && promise.delta < 1;
      const end = known ? Math.min(Math.max(x(Math.log10(promise.epsilon)), LEFT + 2), WIDTH) : LEFT;
      set(bar, { width: end - LEFT });
      set(text, { text: `${label}: ${known ? `ε = ${figure(promise.epsilon)}` : promise ? "nothing promised" : "can't be said"}` });
    });
    words(verdict);
    svg.setAttribute("aria-label", bars.map(({ text }) => text.textContent).join("; "));
  }

  fields.card.value = data.start;
  fill(data.start);
  show();
  return { zcdpToDp, group, repeat, belief, total, judge, claimed, events, days };
});
