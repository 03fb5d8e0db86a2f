/* A claim of differential privacy, judged as dp.judge_claim does (dp_helpers/claims.py): tests hold the two together. */
window.judging = (function () {
  "use strict";
  const [AT_DELTA, LARGE_DELTA] = [1e-10, 1e-4];
  const UNITS = {
    event: "one event (a report, a row)",
    "person-day": "one person on one day",
    person: "one person (with all rows)",
    household: "one household (with all rows)",
    "per-record": "one record (the larger it is, the less is promised)",
  };
  const CHANGES = { "add/remove": "added or removed", "replace-one": "replaced" };
  const PUBLICATIONS = { all: "all publications from these data", named: "the publications that are named" };
  const PER_DAY = { once: 0, hour: 24, day: 1, week: 1 / 7, month: 12 / 365, quarter: 4 / 365, year: 1 / 365 };
  const TRUST = {
    central: "the office that collects",
    local: "only your device",
    shuffled: "a shuffler that doesn't talk to the office",
    masked: "the others whose reports are in the masked sums",
    enclave: "a machine whose program can be inspected",
  };
  const EXCEPTIONS = { none: "without exceptions", named: "apart from the exceptions that are named" };
  const REFUSED =
    "No single ε describes this claim: for a large record it promises less, and how much less is set by a function of" +
    " the record's size. Ask for the ε of a record like yours.";
  const NOTES = {
    shuffled: "If the shuffler talks to the office, only the larger ε of your device is left.",
    masked: "It holds only if enough of the others are honest and answer.",
    enclave: "It holds only while the machine runs the program that was inspected.",
  };
  const NOT_SAID = {
    claim: "What your data say may cost {times}: it depends on how they change.",
    presence: "If data are replaced, it doesn't cover whether you took part.",
    content: "If data are replaced, it isn't doubled.",
  };

  // ---- The arithmetic, that of dp.group_privacy and dp.zcdp_to_dp.
  function group(epsilon, delta, size) {
    const total = size * epsilon;
    const grown = (delta * Math.exp(total - epsilon) * Math.expm1(-total)) / Math.expm1(-epsilon);
    return { epsilon: total, delta: delta ? Math.min(grown, 1) : 0 };
  }

  // The best order: the derivative by t = order - 1 has the sign of rho t^2 + ln delta + ln(1 + t), which rises.
  function zcdpToDp(rho, delta = AT_DELTA) {
    let [low, high] = [0, Math.sqrt(-Math.log(delta) / rho)];
    for (let step = 0; step < 200; step++) {
      const t = (low + high) / 2;
      if (rho * t * t < -Math.log(delta) - Math.log1p(t)) low = t;
      else high = t;
    }
    return Math.max(rho * (1 + high) - Math.log1p(1 / high) - (Math.log(delta) + Math.log1p(high)) / high, 0);
  }

  // The smaller of two bounds on `count` publications, each about `size` units of the reader's.
  function composed(claim, size, count) {
    if (claim.rho) return { epsilon: zcdpToDp(count * size ** 2 * claim.rho), delta: AT_DELTA };
    const { epsilon, delta } = group(claim.epsilon, claim.delta ?? 0, size);
    const summed = { epsilon: count * epsilon, delta: Math.min(1, count * delta) };
    const failed = delta < 1 ? -Math.expm1(count * Math.log1p(-delta)) : 1;
    const converted = { epsilon: zcdpToDp((count * epsilon ** 2) / 2), delta: Math.min(1, failed + AT_DELTA) };
    return converted.epsilon < summed.epsilon ? converted : summed;
  }

  const releasesIn = ({ period, times }, days) =>
    period === "once" ? times : Math.max(1, Math.ceil(days * times * PER_DAY[period] - 1e-9));

  // How many of the reader's days are in one publication: it is about the days since the last one.
  function daysInOne({ period, times }, days) {
    if (period === "once") return Math.ceil(days);
    if (period === "hour" || period === "day") return 1;
    return Math.min(Math.ceil(days), Math.max(1, Math.ceil(1 / (PER_DAY[period] * times) - 1e-9)));
  }

  // ---- Numbers as they are said.
  const power = (value) => {
    if (value >= 0.001) return String(Number(value.toPrecision(2)));
    const [digits, raised] = value.toExponential(1).split("e");
    const small = raised.replace("+", "").replace(/./g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
    return digits === "1.0" ? `10${small}` : `${digits.replace(/\.0$/, "")}·10${small}`;
  };
  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }); // made once: toLocaleString makes it each time
  const thousands = (value) => whole.format(value);
  function figure(value) {
    if (value >= 100 || Number.isInteger(value)) return thousands(Math.floor(value + 0.5));
    return value < 0.001 ? power(value) : value.toPrecision(3);
  }
  // A bound isn't made smaller by how it is said. (0.1, as a float, is a little more than 0.1.)
  function atMost(value) {
    if (value < 0.001) return power(value);
    if (Number.isInteger(value)) return thousands(value);
    const digits = value >= 100 ? 0 : 2 - Math.floor(Math.log10(value));
    return (Math.ceil(value * (1 - 1e-9) * 10 ** digits) / 10 ** digits).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  const share = (delta) => (delta <= 0.5 ? `one row in ${thousands(Math.floor((1 / delta) * (1 + 1e-9)))}` : "most rows");
  const exact = (value) => (value < 0.001 ? power(value) : String(Number(value.toPrecision(6))));

  // What a chance of 1 in 100 may become, in 100: rounded up, but never to certainty.
  const belief = (epsilon) => 1 / (1 + 99 * Math.exp(-epsilon));
  function chance(epsilon) {
    const rest = 100 / (1 + Math.exp(Math.min(epsilon, 700)) / 99);
    if (rest < 0.001) return "more than 99.999";
    if (rest < 1) {
      const digits = -Math.floor(Math.log10(rest));
      return (100 - Math.floor(rest * 10 ** digits) / 10 ** digits).toFixed(digits);
    }
    return rest > 90 ? (Math.ceil(10 * (100 - rest)) / 10).toFixed(1) : String(Math.ceil(100 - rest));
  }

  // ---- What is missing, the claim's sentence, and the verdict.
  function gaps(claim) {
    const open = {
      "whose data": !claim.unit,
      "how they change": !claim.neighbours,
      "which publications": !claim.publications,
      "how often": !claim.period,
      "ε or ρ": !claim.epsilon && !claim.rho,
      "δ (read as 0)": claim.epsilon && claim.delta === null,
      "whom to trust": !claim.model,
      "which exceptions": !claim.exceptions,
    };
    return Object.keys(open).filter((words) => open[words]);
  }

  function often({ period, times }) {
    if (!period) return "[how often?]";
    const count = times === 1 ? "once" : `${thousands(times)} times`;
    if (period === "once") return times === 1 ? count : `${count} in all`;
    return `${count} ${period === "hour" ? "an" : "a"} ${period}`;
  }

  function price(claim) {
    if (claim.rho) return `cost at most ρ = ${exact(claim.rho)}`;
    if (!claim.epsilon) return "cost at most [which ε, or which ρ?]";
    const slack = claim.delta === null ? ", but for [which δ?]" : claim.delta ? `, but for δ = ${power(claim.delta)}` : "";
    const whom = "about this unit, for somebody who knows all the rest,";
    return `change the odds of any suspicion ${whom} by a factor of at most e^${exact(claim.epsilon)}${slack}`;
  }

  function sentence(claim) {
    const said = (options, name, question) => options[claim[name]] ?? `[${question}]`;
    return (
      `If the data of ${said(UNITS, "unit", "whom?")} are ${said(CHANGES, "neighbours", "added, removed or replaced?")},` +
      ` then ${said(PUBLICATIONS, "publications", "which publications?")}, ${often(claim)}, ${price(claim)}, if you trust` +
      ` ${said(TRUST, "model", "whom?")}, ${said(EXCEPTIONS, "exceptions", "apart from which exceptions?")}.`
    );
  }

  function stopped(claim, fear) {
    if (claim.unit === "per-record") return REFUSED;
    if (!claim.epsilon && !claim.rho) return "This can't be judged: no ε, and no ρ.";
    if (!claim.unit || !claim.period) return "This can't be judged: ask for what is missing.";
    if (fear === "presence" && claim.neighbours === "replace-one")
      return (
        "This can't be judged: a claim about replaced data compares tables of equally many rows, so it doesn't say" +
        " how many took part, nor whether you are one of them if nobody would stand in your place."
      );
    return "";
  }

  function way(claim, total, releases, twice) {
    const ways = [];
    if (twice)
      ways.push(`${claim.rho ? "ρ four times" : "doubled"}, because data that say something else are one row out and one in`);
    if (claim.rho) ways.push(releases > 1 ? "each ρ added, then turned into ε once" : "ρ turned into ε");
    else if (total.delta && !claim.delta) ways.push("by ρ = ε²/2 each, added, then turned into ε once; at δ = 0 it is more");
    return ways.length ? ` (${ways.join("; ")})` : "";
  }

  function verdict(claim, fear, twice, total, releases) {
    const after = releases === 1 ? "one publication" : `${thousands(releases)} publications`;
    if (total.delta >= 1) return `After ${after} this bound promises nothing: δ has come to 1.`;
    const slack = total.delta ? `, but for δ = ${power(total.delta)}` : "";
    const own = { "add/remove": "presence", "replace-one": "content" }[claim.neighbours];
    const about = { presence: " that you took part", content: " about what your data say" };
    return [
      `After ${after}: ε = ${atMost(total.epsilon)} at most${slack}${way(claim, total, releases, twice)}.`,
      `A suspicion of 1 in 100${about[fear === "claim" ? own : fear] ?? ""} may rise to ${chance(total.epsilon)} in 100,` +
        " for somebody who knows all the rest.",
      claim.delta >= LARGE_DELTA ? `A δ of ${power(claim.delta)} lets ${share(claim.delta)} be published as it is.` : "",
      claim.neighbours ? "" : NOT_SAID[fear].replace("{times}", claim.rho ? "four times the ρ" : "twice as much"),
      NOTES[claim.model] ?? "",
      claim.publications === "named" ? "What else is published about the same data comes on top." : "",
      claim.exceptions === "named" ? "What is excepted has no limit." : "",
    ].filter(Boolean).join(" ");
  }

  function judge(claim, { fear, events, days }) {
    const missing = gaps(claim);
    const ending = missing.length ? ` Missing: ${missing.join(", ")}.` : " All seven gaps are filled.";
    const priced = claim.rho || claim.epsilon;
    const claimed = priced && claim.unit !== "per-record" ? composed(claim, 1, 1) : null;
    const said = { missing, claimed, release: null, total: null, releases: null, sentence: sentence(claim) };
    const reason = stopped(claim, fear);
    if (reason) return { ...said, verdict: reason + ending };
    const releases = releasesIn(claim, days);
    const twice = fear === "content" && claim.neighbours !== "replace-one";
    const inOne = { event: events, "person-day": daysInOne(claim, days) }[claim.unit] ?? 1;
    const local = claim.model === "local"; // each report is a publication of its own
    const [reports, size] = [local ? inOne : 1, (twice ? 2 : 1) * (local ? 1 : inOne)];
    const total = composed(claim, size, reports * releases);
    const words = verdict(claim, fear, twice, total, releases) + ending;
    return { ...said, release: composed(claim, size, reports), total, releases, verdict: words };
  }

  return { judge, group, zcdpToDp, belief, composed, figure, atMost, power, thousands, AT_DELTA };
})();
