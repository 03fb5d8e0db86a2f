/* The search page. Each find is a section, a term or a function, with its words around the first hit. What explains a
   thing comes before what mentions it: terms, then titles, words in bold, and text. */
(() => {
  "use strict";
  const SHOWN = 40;
  const AROUND = 12; // words of text before and after a hit
  const IN_PASSING = /^(Before you start|Labs|Self-check|Summary|Further reading)$/;
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", λ: "lambda", ρ: "rho", σ: "sigma", χ: "chi" };

  // Words that a question is made of, and that say nothing about what is asked.
  const SMALL = new Set(
    "a about an and are be by can do does for from how i in is it just me my not of on or should that the this to versus vs was what when where which who why will with you".split(" "),
  );

  // One form for both spellings (randomised, analyze, neighbor, labeled), for one and many, for ε and epsilon.
  const fold = (word) =>
    (GREEK[word] || word)
      .replace(/(?<=[iy])s(?=(e(d|s|r|rs)?|ing|ations?|able)$)/, "z")
      .replace(/(?<=\w{3})our/, "or")
      .replace(/ll(?=(ed|ing)$)/, "l")
      .replace(/(?<=\w{3}[^su])s$/, "");
  // Accents are left out, and signs are as they are typed: χ² is χ2, ℓ₁ is l1.
  const split = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) || [];
  const words = (text) => split(text).map(fold);

  // What people type, and what the book calls it.
  const inOneForm = (table) =>
    Object.fromEntries(Object.entries(table).map(([typed, called]) => [words(typed).join(" "), called]));
  const ALSO = inOneForm({
    svt: "sparse vector", rr: "randomised response", clip: "clipping", pate: "sample and aggregate", anon: "anonymity",
    reidentification: "linkage attack", reidentify: "linkage attack", deidentification: "de identification",
    zcdp: "zero concentrated", ldp: "local differential", gdp: "gaussian differential", rdp: "renyi", dp: "differential privacy",
    mia: "membership inference", sgd: "dp sgd", cdp: "zero concentrated", em: "exponential mechanism",
    llm: "language model", chatgpt: "language model", "top k": "report noisy max", δf: "sensitivity",
    "group by": "one person many rows", groupby: "one person many rows", sql: "one person many rows",
    oue: "optimised unary encoding", sue: "symmetric unary encoding", "floating point": "efficiency safety code",
    gdpr: "singling out", law: "singling out", hipaa: "de identification",
    "privacy budget": "budget", "error bars": "bracket of one count", "margin of error": "bracket of one count",
    fairness: "who pays for the noise", minority: "who pays for the noise", minorities: "who pays for the noise",
    regulator: "judging a claim", procurement: "judging a claim", vendor: "judging a claim", supplier: "judging a claim",
    exercise: "all labs", install: "run laptop binder colab", license: "cite use attribution", licence: "cite use attribution",
    slides: "lecture with this book", "which epsilon": "which epsilon others use",
    anonymization: "de identification", "trade off function": "trade off curve",
    "gaussian dp": "gaussian differential", "k anonymity attack": "homogeneity attack",
    "choose epsilon": "which epsilon others use", "good epsilon": "which epsilon others use", "typical epsilon": "which epsilon others use",
  });

  // Words that say little beside another: "laplace noise" asks for Laplace. A section need not have them.
  const LIGHT = new Set(words("distribution mechanism noise"));

  const read = SECTIONS.map(([url, kind, title, page, taught, text]) => ({
    url, kind, title, page, taught, text,
    inTitle: words(title), inTaught: words(taught), inText: words(text),
  }));

  // Chinese has no spaces: a word is anywhere in a name.
  const begins = (one, word) => one.startsWith(word) || (/\p{Script=Han}/u.test(word) && one.includes(word));
  const has = (list, word, whole, begun) => (list.includes(word) ? whole : list.some((one) => begins(one, word)) ? begun : 0);
  const phrase = (list, query) => query.length > 1 && ` ${list.join(" ")} `.includes(` ${query.join(" ")} `);

  // A word that the book doesn't have is taken for the nearest that it has: one letter more, less, other, or two swapped.
  const known = new Map();
  for (const { inTitle, inTaught, inText } of read)
    for (const word of [...inTitle, ...inTaught, ...inText]) known.set(word, (known.get(word) ?? 0) + 1);
  const all = [...known.keys()];
  const titles = new Set(read.map(({ inTitle }) => inTitle.join(" ")));
  const slips = (a, b) => {
    let from = 0;
    while (from < a.length && a[from] === b[from]) from++;
    const [x, y] = [a.slice(from), b.slice(from)];
    const ways = [[x.slice(1), y.slice(1)], [x.slice(1), y], [x, y.slice(1)], [x[1] + x[0] + x.slice(2), y]];
    return ways.some(([one, other]) => one === other);
  };
  const nearest = (word) => {
    if (word.length < 4 || all.some((one) => begins(one, word))) return word;
    const near = all.filter((one) => Math.abs(one.length - word.length) < 2 && slips(word, one));
    return near.sort((a, b) => known.get(b) - known.get(a))[0] ?? word;
  };

  // The words that a text asks for, as the book writes them.
  function understood(text) {
    const typed = words(text.replace(/^\s*what do(es)?\b(.*)\bmean\b/i, "$2"));
    const large = typed.filter((word) => !SMALL.has(word));
    const asked = large.length ? large : typed;
    const whole = asked.join(" ");
    const also = titles.has(whole) ? "" : ALSO[typed.join(" ")] ?? ALSO[whole]; // what the book calls so is never replaced
    return also ? words(also) : asked.flatMap((word) => (word in ALSO && !known.has(word) ? words(ALSO[word]) : [nearest(word)]));
  }

  function weight(section) {
    if (IN_PASSING.test(section.title)) return 1 / 2;
    if (section.page.startsWith("Chapter")) return section.title.startsWith("Going deeper") ? 3 / 4 : 1;
    return section.kind === "page" && !section.url.includes("/api/") ? 1 / 2 : 1 / 8;
  }

  // A section that lacks a word counts only with `some`, and by the share that it has.
  function score(section, query, some) {
    const parts = query.map((word) => {
      const often = section.inText.filter((one) => begins(one, word)).length;
      const there = has(section.inTitle, word, 12, 7) + has(section.inTaught, word, 6, 4);
      const named = section.kind === "term" ? has(section.inText, word, 1, 0) : 0; // another of its names, whole
      return (there + named + Math.min(4, Math.log2(1 + often))) * (heavy(query).includes(word) ? 1 : 1 / 4);
    });
    const needed = parts.filter((_, i) => heavy(query).includes(query[i]));
    const found = needed.filter(Boolean).length;
    if (!found || (found < needed.length && !some)) return 0;
    let sum = parts.reduce((a, b) => a + b) * (found / needed.length) ** 2;
    if (phrase(section.inTitle, heavy(query))) sum += 10;
    if (phrase(section.inText, heavy(query))) sum += 5;
    if (section.kind === "term") return isAsked(section, query) ? sum + 40 - 10 * (section.inTitle.length - query.length) : sum;
    return sum * weight(section);
  }

  const heavy = (query) => (query.every((word) => LIGHT.has(word)) ? query : query.filter((word) => !LIGHT.has(word)));
  const isAsked = (term, query) => query.every((word) => has(term.inTitle, word, 1, 1));

  // The chapter that teaches a term that was asked for, as the glossary says, comes before others.
  function ranked(query, some) {
    const terms = read.filter((section) => section.kind === "term" && isAsked(section, heavy(query)));
    const teach = new Set(terms.map((term) => term.taught));
    return read.map((section) => ({ section, value: score(section, query, some) * (teach.has(section.page) ? 2 : 1) }))
      .filter((one) => one.value > 0)
      .sort((a, b) => b.value - a.value)
      .map((one) => one.section);
  }

  // Where nothing has all words, what has most of them.
  function find(query) {
    const found = ranked(query, false);
    return found.length ? found : ranked(query, true);
  }

  function excerpt(section, query) {
    const pieces = section.text.split(" ");
    const hit = (piece) => words(piece).some((one) => query.some((word) => begins(one, word)));
    const first = Math.max(0, pieces.findIndex(hit) - AROUND);
    const made = document.createElement("p");
    if (first) made.append("… ");
    for (const piece of pieces.slice(first, first + 3 * AROUND)) {
      const shown = hit(piece) ? document.createElement("mark") : document.createElement("span");
      shown.textContent = piece;
      made.append(shown, " ");
    }
    if (first + 3 * AROUND < pieces.length) made.append("…");
    return made;
  }

  function show(query) {
    const asked = understood(query);
    const found = asked.length ? find(asked) : [];
    const rows = found.slice(0, SHOWN).map((section) => {
      const row = document.createElement("li");
      const link = Object.assign(document.createElement("a"), { href: section.url, textContent: section.title });
      const place = document.createElement("span");
      place.textContent = section.kind === "page" ? "" : section.page;
      row.append(link, " ", place, excerpt(section, asked));
      return row;
    });
    document.getElementById("search-results").replaceChildren(...rows);
    const many = found.length === 1 ? "One place." : `${found.length} places${found.length > SHOWN ? `; the first ${SHOWN}` : ""}.`;
    document.getElementById("search-said").textContent = !asked.length ? "" : found.length ? many : "Nothing found. Fewer words find more.";
  }

  const field = document.querySelector(".search-form input");
  field.value = new URLSearchParams(location.search).get("q") || "";
  field.addEventListener("input", () => show(field.value));
  field.focus();
  show(field.value);
})();
