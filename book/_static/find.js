/* What a search finds, by MiniSearch: in which form words are looked for, what people call a thing that the book calls
   otherwise, and what comes first. The build makes the index by this script, and the pages search in it. */
const finder = (() => {
  "use strict";
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", λ: "lambda", μ: "mu", ρ: "rho", σ: "sigma", χ: "chi" };
  // Words that a question is made of, and that say nothing about what is asked.
  const SMALL = new Set(
    ("a about after am an and any are as at be been by can could do does for from get give has have how i if in into is it its just " +
      "make me mean meaning much my need no not of on one or our should so some still than that the their them then there these they this to " +
      "use versus vs want was way we what when where which who whose why will with would you your")
      .split(" "),
  );
  // One form for both spellings (randomised, analyze, neighbor, labeled), for one and many, and for the forms of a verb.
  const fold = (word) =>
    (GREEK[word] || word)
      .replace(/(?<=[iy])s(?=(e(d|s|r|rs)?|ing|ations?|able)$)/, "z")
      .replace(/(?<=\w{3})our/, "or")
      .replace(/ll(?=(ed|ing)$)/, "l")
      .replace(/(?<=\w{2})ies$/, "y")
      .replace(/(?<=\w{2}[^su])s$/, "")
      .replace(/(?<=\w{4})(ing|ed)$/, "")
      .replace(/(?<=\w{4})e$/, "");
  // Accents are left out, and signs are as they are typed: χ² is χ2, ℓ₁ and ‖·‖₁ are l1, and the increment ∆ is a Δ.
  const plain = (text) =>
    text.replaceAll("∆", "Δ").toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "").replace(/‖[^‖]*‖(?=\d)/g, " l");
  // Chinese has no spaces: each of its signs is a word.
  const split = (text) => plain(text).match(/\p{Script=Han}|((?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
  const large = (words) => (words.some((word) => !SMALL.has(word)) ? words.filter((word) => !SMALL.has(word)) : words);
  const asked = (text) => large(split(text)).map(fold);

  const SUBJECT = new Set(asked("differential differentially privacy private dp"));

  const INDEX = {
    fields: ["title", "page", "taught", "names", "text"],
    tokenize: split,
    processTerm: fold,
  };
  const LOOK = {
    boost: { title: 3, page: 1.5, taught: 2, names: 2 },
    weights: { fuzzy: 0.3, prefix: 0.5 },
    prefix: (word) => word.length > 3,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    maxFuzzy: 2,
    combineWith: "OR",
    // The whole book is about these: beside other words they say little.
    boostTerm: (word, i, words) => (SUBJECT.has(word) && words.some((one) => !SUBJECT.has(one)) ? 0.3 : 1),
  };

  // Where the book tells of what people say so: looked for, too, beside what was typed. Names of terms in other
  // languages, and short ones, stand in tools/book_site/term_names.csv.
  const SAID = {
    "what if nothing bounds a value": "clip, clipping bound, truncate, winsorize, outlier",
    "de-identification": "hipaa, deidentification, anonymization, anonymized, anonymous, personal data, hash, pseudonym",
    "training today": "llm, chatgpt, language model, lora, fine tune",
    "one person, many rows": "sql, group by, groupby, user id, many record, several record, several rows, count distinct, distinct user, per user, city, country, category",
    "what does a join do": "merge, join",
    "what if the log outgrows one machine": "spark, beam, big data, tumult, pipelinedp",
    "which library for real data": "library, pytorch, tensorflow, in production",
    "randomness efficiency and safety in code": "floating point",
    "singling out": "gdpr, law, legal, lawyer, regulation",
    "judging a claim": "regulator, procurement, vendor, supplier, officer, compliance, trust, promise of a company, claim",
    "going deeper which epsilon do others use": "which epsilon, choose epsilon, good epsilon, typical epsilon, safe, large epsilon, small epsilon, epsilon large, epsilon small",
    "which seven gaps must a claim fill": "report epsilon, checklist",
    "how wide is the bracket of one count": "accurate, accuracy, error bar, margin of error, confidence interval, uncertainty",
    "who pays for the noise": "fairness, fair, minority, small group, subgroup",
    "how sure is it, and for whom": "small n, bias of an answer, sample size, significant, regression, small group, few people, few patients",
    "auditing": "unit test, test, verify, verification, check, prove",
    "all labs": "exercise, lab, how many lab",
    "review a change": "pull request, merge request, code review, review code, review, reviewer, code assistant",
    "run it": "install, laptop, colab, binder, download, offline",
    "may you use it and how do you cite it": "license, licence, bibtex, citation, cite",
    "lecture with this book": "slide",
    "trade-off curve": "trade off function",
    "homogeneity attack": "k anonymity attack",
    "continual release": "stream, streaming, running total, cumulative, moving average, sliding window, every day, daily, every hour",
    "why is a mean harder than a sum": "average, private mean, noisy mean",
    "secure aggregation": "homomorphic, encryption, encrypted, multiparty, mpc",
    "what doesn't this book teach": "unlearning, forgotten, verifiable, zero knowledge",
    "rappor": "chrome",
    "would you answer if a coin could lie for you": "coin flip, flip a coin, sensitive question, survey",
    "geometric noise": "whole number, integer",
    "who can move a median": "minimum, maximum",
    "what does the clock tell": "timing, timing attack",
    "how many people for which error": "how many people do i need, how many people do you need, how many users",
    "what do two answers cost": "adaptive, noise averaged away, average away, average out, averaged out, asked twice, ask again, budget per",
    "who keeps count": "refresh, reset, spent",
    "may you ask every day": "asked twice, ask every day, same noise, reuse noise",
    "quantile": "percentile",
    "approximate differential privacy": "epsilon delta",
    "what do students need": "prerequisite",
    "which pages may appear": "thresholding, threshold",
    "one page to keep": "print, printable, cheat sheet",
    "how do you report a mistake": "typo, error book",
    "what about solutions": "answer, answer key",
    "which settings would you choose": "learning rate, hyperparameter, batch size",
    "which noise keeps the promise": "laplace noise, laplace scale, laplace distribution, noise laplace, how much noise, noise scale",
    "what may be done with an answer": "negative count, negative",
  };
  // Said with small words ("which epsilon"), it is found with them only: "epsilon" is another question.
  const spaced = (words) => ` ${words.join(" ")} `;
  const ALSO = Object.entries(SAID).flatMap(([called, said]) => said.split(", ").map((one) => [spaced(split(one).map(fold)), called]));

  // How much a section counts: what explains comes before what mentions.
  function weight([url, kind, title, page]) {
    if (/^(Before you start|Labs|Self-check|Summary|Further reading|Find the bug)$/.test(title)) return 0.25;
    if (kind === "term") return 0.8;
    if (kind === "function" || /\/api\b/.test(url)) return 0.2;
    if (/\/(lecture|sources|errata|contributing|figures|bibliography|ten-minutes|office|engineer|course|in-150-lines)\b/.test(url)) return 0.5;
    if (title.startsWith("Going deeper")) return 0.75;
    return page.startsWith("Chapter") ? 1 : 0.9;
  }

  const document = ([, kind, title, page, taught, text, names = ""], id) => ({
    id, title, taught, text, page: kind === "term" ? "" : page,
    // A name of two words may be typed as one: postprocessing.
    names: kind === "term" ? `${names} ${split(title).length === 2 ? split(title).join("") : ""}` : "",
  });

  // A section that is called just as was asked comes first, and before others one whose whole title was asked for.
  function called(found, title) {
    const words = [...new Set(asked(title))];
    if (found.queryTerms.every((word) => found.terms.some((one) => found.match[one].includes("names") && one === word))) return 2.5;
    if (!words.length || !words.every((word) => found.match[word]?.includes("title"))) return 1;
    return words.length === new Set(found.queryTerms).size ? 3 : 1.3;
  }

  function search(index, sections, text) {
    const typed = asked(text.replace(/^\s*what do(es)?\b(.*)\bmean\b/i, "$2"));
    const whole = [spaced(typed), spaced(split(text).map(fold))];
    const queries = [[typed.join(" "), 1]];
    for (const [said, name] of ALSO)
      if (whole.some((one) => one.includes(said))) queries.push([name, Math.max(1.2, (2 * said.length) / whole[0].length)]);
    if (/\bepsilon \d/.test(whole[0])) queries.push(["going deeper which epsilon do others use", 2]);
    const scores = new Map();
    const boostDocument = (id) => weight(sections[id]);
    for (const [query, share] of queries)
      for (const one of index.search(asked(query).join(" "), { ...LOOK, boostDocument })) {
        const [, kind, title] = sections[one.id];
        const named = kind === "term" && query !== queries[0][0] ? 1 : called(one, title); // a term comes first if it was typed
        const covered = one.queryTerms.length / new Set(asked(query)).size; // what has all words comes before what has some
        scores.set(one.id, (scores.get(one.id) ?? 0) + share * one.score * named * covered);
      }
    const [chinese] = text.match(/\p{Script=Han}+/u) ?? [""]; // its signs, in this order
    const found = [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id).filter((id) => sections[id][5].includes(chinese));
    const others = (id) => !sections[id][6]?.split(" ").includes(chinese); // sections of which it isn't the whole name
    return chinese ? found.sort((a, b) => others(a) - others(b)) : found;
  }

  return { INDEX, document, search, asked };
})();
