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
  // Accents are left out, and signs are as they are typed: χ² is χ2, ℓ₁ and ‖·‖₁ are l1, and the increment ∆ is a Δ.
  const plain = (text) => text.replaceAll("∆", "Δ").toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const split = (text) => plain(text).replace(/‖[^‖]*‖(?=\d)/g, " l").match(/[\p{L}\p{N}]+/gu) || [];
  const words = (text) => split(text).map(fold);

  // What people type, and what the book calls it.
  const inOneForm = (table) =>
    Object.fromEntries(Object.entries(table).map(([typed, called]) => [words(typed).join(" "), called]));
  const ALSO = inOneForm({
    svt: "sparse vector", rr: "randomised response", clip: "clipping", pate: "sample and aggregate", anon: "anonymity",
    reidentification: "linkage attack", reidentify: "linkage attack", deidentification: "de identification",
    zcdp: "zero concentrated", ldp: "local differential", rdp: "renyi", dp: "differential privacy",
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
    "gaussian dp": "gdp", "gaussian differential privacy": "gdp", "k anonymity attack": "homogeneity attack",
    "choose epsilon": "which epsilon others use", "good epsilon": "which epsilon others use", "typical epsilon": "which epsilon others use",
    "epsilon delta": "approximate differential privacy",
    stream: "continual release", streaming: "continual release", "running total": "continual release", cumulative: "continual release",
    "noise averaged away": "what two answers cost", "average away": "what two answers cost", "average out": "what two answers cost",
    percentile: "quantile", "count distinct": "one person many rows", "distinct users": "one person many rows",
    "count distinct users": "one person many rows", prerequisite: "what do students need",
    thresholding: "which pages may appear", "report epsilon": "which seven gaps fill",
    print: "cheat sheet", printable: "cheat sheet", bibtex: "cite use attribution", citation: "cite use attribution",
    typo: "report mistake", bug: "report mistake", "error book": "report mistake", legal: "singling out",
    answer: "solutions", "answer key": "solutions",
    "learning rate": "which settings would choose", hyperparameter: "which settings would choose",
    "differenzielle privatsphäre": "differential privacy", datenschutz: "differential privacy", privatsphäre: "differential privacy",
    empfindlichkeit: "sensitivity", sensitivität: "sensitivity", rauschen: "which noise keeps promise", mechanismus: "mechanism",
    anonymisierung: "de identification", zusammensetzung: "composition", komposition: "composition", privatsphärenbudget: "budget",
  });

  // Words that say little beside another: "laplace noise" asks for Laplace. A section need not have them.
  const LIGHT = new Set(words("code definition distribution example explained formula meaning mechanism noise proof python variance"));

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
  // A name of two words may be typed as one: postprocessing.
  const joined = new Map(
    read.filter(({ kind, inTitle }) => kind === "term" && inTitle.length === 2).map(({ inTitle }) => [inTitle.join(""), inTitle]),
  );
  const nearest = (word) => {
    if (word.length < 4 || all.some((one) => begins(one, word))) return [word];
    if (joined.has(word)) return joined.get(word);
    const near = [...all, ...joined.keys()].filter((one) => Math.abs(one.length - word.length) < 2 && slips(word, one));
    const likeliest = near.sort((a, b) => (known.get(b) ?? 0) - (known.get(a) ?? 0))[0] ?? word;
    return joined.get(likeliest) ?? [likeliest];
  };

  // The words that a text asks for, as the book writes them.
  function understood(text) {
    const typed = words(text.replace(/^\s*what do(es)?\b(.*)\bmean\b/i, "$2"));
    const large = typed.filter((word) => !SMALL.has(word));
    const asked = large.length ? large : typed;
    const whole = asked.join(" ").replace(/^epsilon \d+$/, "typical epsilon");
    const long = whole.replace(/\bdp$/, "differential privacy"); // approximate DP
    if (titles.has(long)) return long.split(" ");
    const also = titles.has(whole) ? "" : ALSO[typed.join(" ")] ?? ALSO[whole]; // what the book calls so is never replaced
    return also ? words(also) : asked.flatMap((word) => (word in ALSO && !known.has(word) ? words(ALSO[word]) : nearest(word)));
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
