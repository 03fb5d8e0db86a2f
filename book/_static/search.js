/* The search page. Each find is a section, a term or a function, with its words around the first hit. What explains a
   thing comes before what mentions it: terms, then titles, words in bold, and text. */
(() => {
  "use strict";
  const SHOWN = 40;
  const AROUND = 12; // words of text before and after a hit
  const IN_PASSING = /^(Before you start|Labs|Self-check|Summary|Further reading)$/;
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", λ: "lambda", ρ: "rho", σ: "sigma" };

  // One form for both spellings (randomised, analyze, neighbor, labeled), for one and many, for ε and epsilon.
  const fold = (word) =>
    (GREEK[word] || word)
      .replace(/(?<=[iy])s(?=(e(d|s|r|rs)?|ing|ations?|able)$)/, "z")
      .replace(/(?<=\w{3})our/, "or")
      .replace(/ll(?=(ed|ing)$)/, "l")
      .replace(/(?<=\w{3}[^su])s$/, "");
  const split = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) || [];
  const words = (text) => split(text).map(fold);

  const read = SECTIONS.map(([url, kind, title, page, taught, text]) => ({
    url, kind, title, page, taught, text,
    inTitle: words(title), inTaught: words(taught), inText: words(text),
  }));

  const has = (list, word, whole, begun) => (list.includes(word) ? whole : list.some((one) => one.startsWith(word)) ? begun : 0);
  const phrase = (list, query) => query.length > 1 && ` ${list.join(" ")} `.includes(` ${query.join(" ")} `);

  function score(section, query) {
    let sum = 0;
    for (const word of query) {
      const often = section.inText.filter((one) => one.startsWith(word)).length;
      const here = has(section.inTitle, word, 12, 7) + has(section.inTaught, word, 6, 4) + Math.min(4, Math.log2(1 + often));
      if (!here) return 0;
      sum += here;
    }
    if (phrase(section.inTitle, query)) sum += 10;
    if (phrase(section.inText, query)) sum += 5;
    if (section.kind === "term") return isAsked(section, query) ? sum + 40 - 10 * (section.inTitle.length - query.length) : sum;
    return IN_PASSING.test(section.title) ? sum / 2 : section.page.startsWith("Chapter") ? sum : sum / 8;
  }

  const isAsked = (term, query) => query.every((word) => has(term.inTitle, word, 1, 1));

  // The chapter that teaches a term that was asked for, as the glossary says, comes before others.
  function find(query) {
    const terms = read.filter((section) => section.kind === "term" && isAsked(section, query));
    const teach = new Set(terms.map((term) => term.taught));
    return read.map((section) => ({ section, value: score(section, query) * (teach.has(section.page) ? 2 : 1) }))
      .filter((one) => one.value > 0)
      .sort((a, b) => b.value - a.value)
      .map((one) => one.section);
  }

  function excerpt(section, query) {
    const pieces = section.text.split(" ");
    const hit = (piece) => words(piece).some((one) => query.some((word) => one.startsWith(word)));
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
    const asked = words(query);
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
