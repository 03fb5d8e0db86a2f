/* What the two tools share that ask before they compute (play-claim.js, play-plan.js): prices as people write them,
   fields that are typed or slid, and texts to take away. */
window.asking = (function () {
  "use strict";
  const make = (tag, properties, parent) => {
    const made = Object.assign(document.createElement(tag), properties);
    parent?.append(made);
    return made;
  };

  // ---- Reading a price.
  const NAME = /^(ε|epsilon|eps|δ|delta|ρ|rho)\s*(?=[=:<≤≈~]|$|\d)[=:]?\s*/i;
  const AT_MOST = /^(<=|=<|≤|<|at most|no more than|up to|below|under|less than|smaller than)\s*/i;
  const OR_LESS = /\s*(,?\s*or (less|lower|smaller|below)|at most|max(imum)?)\.?$/i;
  const ABOUT = /^(about|around|roughly|approximately|approx\.?|circa|ca\.|~|≈)\s*/i;
  const MORE = /^[\d.,]+(e[+-−]?\d+)?\s*[(/\p{L}]/iu; // 8 (local), 4/day, 0.5 each
  const PAIR = /^\(.*[,;].*\)$|[,;]\s*(δ|delta|ε|epsilon)/i; // (4, 1e-5)
  const LOST = /^10\s?[-−–]\s?\d+$/; // 10⁻⁵ that was copied without its small digits
  const SHARE = /^(\S+)\s*(?:in|out of|per|:)\s*(?:a\s+(?=[mb]illion|thousand))?(\S+(?:\s(?:[mb]illion|thousand))?)$/i; // 1 in 100,000
  const RANGE = /[\d)]\s*(?:[-–−]|to|\.\.+|…)\s*\d/i;
  const KNOWN = new Set(["e", "pi", "π", "ln", "exp", "sqrt", "percent", "hundred", "thousand", "million", "billion"]);
  const LIKE = { epsilon: "0.5 or ln 3", delta: "0.00001, 10^-5 or 1 in 100,000", rho: "0.015 or 1/8" };
  const SIGN = { epsilon: "ε", delta: "δ", rho: "ρ" };
  const quoted = (text) => `“${text.trim()}”`;

  function number(text) {
    const words = text.match(/\p{L}+/gu) ?? [];
    const exponent = /\d\s*e[+-−]?\d/i.test(text);
    if (words.some((word) => !KNOWN.has(word.toLowerCase()) && !(exponent && word.toLowerCase() === "e"))) return undefined;
    const million = { million: "1000000", billion: "1000000000", thousand: "1000" };
    return numbers.readings(million[text.trim().toLowerCase()] ?? text)[0];
  }

  // What a text says: { value } (null: nothing is typed), with a note where it was read in a way that must be said, and a
  // problem where it can't be read; asksN where it needs the number of rows, n.
  function price(name, text, n) {
    if (!text.trim()) return { value: null };
    const problem = (why) => ({ value: null, problem: `${SIGN[name]} = ${quoted(text)} isn't taken: ${why}.` });
    let [left, notes] = [text.trim().replace(NAME, ""), []];
    const strip = (form) => left !== (left = left.replace(form, "").trim());
    const pure = name === "epsilon" && strip(/\s*[(,]?\s*pure(\s*(dp|differential privacy))?\s*\)?$/i);
    const alone = "type the number alone, and say in the other fields for what and how often";
    if (name === "delta") left = left.replace(/^one\b/i, "1").replace(/(\d)\.$/, "$1");
    if (PAIR.test(left)) return problem("type ε and δ each into its own field");
    if (name === "delta" && LOST.test(left)) return problem(`write 10^-${left.match(/\d+$/)[0]}, if that is meant`);
    if (/\b(per|each|every|a|an)\s+\p{L}+$/iu.test(left) && !/million|billion|thousand/i.test(left))
      return problem(alone);
    if (/^(>|≥|at least|above|over|more than)/i.test(left)) return problem("a promise is “at most”");
    if ([strip(AT_MOST), strip(OR_LESS)].some(Boolean)) notes.push(`${SIGN[name]} is taken at the bound that is given, ${left}`);
    if (strip(ABOUT)) notes.push(`${SIGN[name]} is taken as ${left}, though it is said to be about that`);
    if (RANGE.test(left.replace(/e[-–−]\d/gi, "").replace(/\^\s*[-–−]/g, "^"))) return problem("it is a range; type its larger end");
    let value;
    if (name === "delta" && /(?<!\p{L})n(?!\p{L})/iu.test(left)) {
      if (!(n > 0)) return { value: null, asksN: true, problem: `δ = ${quoted(text)} depends on n: how many rows or people are there?` };
      value = number(left.replace(/(?<!\p{L})n(?!\p{L})/giu, `(${n})`));
      if (value !== undefined) notes.push(`δ is ${judging.power(value)}, because n = ${judging.thousands(n)}`);
      if (value * n >= 0.5) notes.push("such a δ lets about one row be published whole");
    } else {
      const share = name === "delta" && left.match(SHARE);
      value = share ? number(share[1]) / number(share[2]) : number(left);
    }
    const asksN = /(?<!\p{L})n(?!\p{L})/iu.test(left);
    if (value === undefined || Number.isNaN(value)) return { ...problem(MORE.test(left) && left.replace(/e[+-−]?\d/i, "").match(/\p{L}/u) ? alone : `write it like ${LIKE[name]}`), asksN: false };
    if (name === "delta" ? !(value >= 0 && value < 1) : !(value > 0 && value < 1e6))
      return { ...problem(name === "delta" ? "δ is at least 0 and below 1" : `${SIGN[name]} is above 0 and below a million`), asksN };
    return { value, notes, pure, asksN };
  }

  const SPANS = { day: 1, week: 7, month: 365 / 12, quarter: 365 / 4, year: 365 };
  function days(text) {
    const [, count, span] = text.trim().match(/^(.*?)\s*(day|week|month|quarter|year)s?$/i) ?? [null, text, "day"];
    const value = (/^(an?|one)?$/i.test(count.trim()) && count !== text ? 1 : number(count)) * SPANS[span.toLowerCase()];
    return value > 0 && value <= 36500 ? { value } : { problem: `Your time, ${quoted(text)}, can't be read: write days, or “2 years”.` };
  }
  const COUNTED = /(?<=\d)\s+(people|persons|rows|records|users|patients|customers|visitors|groups|pages|places|times|steps)$/i;
  function whole(text, called, most = 1e6) {
    const value = number(text.trim().replace(COUNTED, ""));
    const right = Number.isInteger(value) && value >= 1 && value <= most;
    return right ? { value } : { problem: `${called}, ${quoted(text)}, must be a whole number from 1 to ${judging.thousands(most)}.` };
  }

  // ---- A number that is typed, or slid: from stop to stop, or where it is no count to any place, with two digits between.
  function typed(parent, { id, label, stops, start, read, act, settings, name, glides = false }) {
    const row = make("div", { className: "asking-row" }, parent);
    make("label", { textContent: label, htmlFor: id }, row);
    const last = stops.length - 1;
    const range = make("input", { type: "range", min: 0, max: last, step: glides ? "any" : 1, ariaLabel: `${label}, slide`, autocomplete: "off" }, row);
    const field = make("input", { type: "text", id, value: start, size: 7, autocomplete: "off" }, row);
    const valueAt = (place) => {
      const [low, part] = [stops[Math.floor(place)], place % 1];
      return part ? Number((low * (stops[Math.ceil(place)] / low) ** part).toPrecision(2)) : low;
    };
    const placeOf = (value) => {
      if (value >= stops[last]) return last;
      const above = Math.max(stops.findIndex((stop) => stop > value), 1);
      const part = Math.log(value / stops[above - 1]) / Math.log(stops[above] / stops[above - 1]);
      return glides ? above - 1 + part : Math.round(above - 1 + part);
    };
    const follow = () => {
      const { value } = read(field.value);
      if (!(value > 0)) return;
      range.value = placeOf(value);
      range.setAttribute("aria-valuetext", field.value);
    };
    range.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!glides || !way) return;
      event.preventDefault();
      range.value = way > 0 ? Math.floor(range.valueAsNumber) + 1 : Math.ceil(range.valueAsNumber) - 1;
      for (const kind of ["input", "change"]) range.dispatchEvent(new Event(kind, { bubbles: true }));
    });
    let waiting = false;
    range.addEventListener("input", () => {
      field.value = String(valueAt(range.valueAsNumber));
      range.setAttribute("aria-valuetext", field.value);
      if (!waiting) requestAnimationFrame(() => ((waiting = false), act()));
      waiting = true;
    });
    field.addEventListener("input", () => (follow(), act()));
    const put = (text) => {
      field.value = text;
      follow();
    };
    settings.set(name, { read: () => field.value, put: (text) => (put(text), act()) });
    follow();
    return { row, value: () => read(field.value), put };
  }

  // ---- A form of fields that are typed or chosen, which links know by their names; `act` hears of each change.
  function form(stage, { id, settings, act }) {
    const rows = make("div", { className: "sf-play-form asking-plan" }, stage);
    const fields = {};
    function field(name, words, element) {
      const row = make("div", {}, rows);
      element.id = `${id}-${name}`;
      make("label", { textContent: words, htmlFor: element.id }, row);
      row.append(element);
      fields[name] = element;
      element.addEventListener("input", act);
      const allowed = (text) => !element.options || [...element.options].some((option) => option.value === text);
      settings.set(name, { read: () => element.value, put: (text) => allowed(text) && ((element.value = text), act()) });
    }
    function choice(name, words, options) {
      const select = make("select", { autocomplete: "off" });
      for (const [value, textContent] of options) make("option", { value, textContent }, select);
      field(name, words, select);
    }
    const number = (name, words, value = "") => field(name, words, make("input", { type: "text", autocomplete: "off", size: 6, value }));
    return { fields, choice, number, hide: (name, hidden) => (fields[name].parentElement.hidden = hidden) };
  }

  // Where the calculator opens with a claim that a plan makes.
  const judgeAddress = (page, claim) =>
    `${page}#fig-claim?${new URLSearchParams({ card: "own", rho: "", neighbours: "add/remove", times: 1, model: "central", fear: "claim", days: 365, ...claim })}`;

  // ---- A text to take away: seen, copied, or saved as a file.
  function handOver(stage, title, text, file) {
    const dialog = make("dialog", { className: "asking-dialog", ariaLabel: title }, stage);
    make("strong", { textContent: title }, dialog);
    const box = make("textarea", { value: text, readOnly: true, rows: Math.min(16, text.split("\n").length + Math.ceil(text.length / 90)), ariaLabel: title }, dialog);
    const row = make("div", { className: "sf-play-row" }, dialog);
    const button = (words, act) => make("button", { type: "button", className: "sf-explore-again", textContent: words, onclick: act }, row);
    const copy = button("Copy", async () => {
      box.select();
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Marked: press Ctrl C"; // where a page is neither local nor encrypted
      }
    });
    button("Save as a file", () => make("a", { href: URL.createObjectURL(new Blob([text])), download: file }).click());
    button("Close", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    dialog.showModal();
  }

  return { price, days, whole, typed, form, judgeAddress, handOver, make };
})();
