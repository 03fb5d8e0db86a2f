/* What the calculator gives to take away: the claim as a sentence, a letter with the open questions, a file for programs,
   and a card in the format of the public register (github.com/opendp/deployments-registry-data). */
window.claimLetter = (function () {
  "use strict";
  const TEXTS = [
    ["sentence", "The claim as a sentence", "claim.txt"],
    ["letter", "A letter with the open questions", "letter.txt"],
    ["json", "claim.json", "claim.json"],
    ["card", "A card for the register", "card.yaml"],
  ];
  const QUESTIONS = {
    "whose data": "Whose data does the price cover: one row or report, a person's day, or a person with all rows?",
    "how they change": "Does the promise compare data with and without them (added or removed), or with others in their place (replaced)?",
    "which publications": "Which publications does the price cover, and what else is published from the same data?",
    "how often": "How often is the price paid: once, each day, for each query?",
    "ε or ρ": "Which ε and δ, or which ρ, do you promise?",
    "δ (read as 0)": "Which δ belongs to the ε? Is it 0?",
    "whom to trust": "Who sees the true data, and where is the noise added?",
    "which exceptions": "What isn't covered: exact totals, lists of categories, settings chosen from the data, running times?",
  };

  const sentence = (claim, found) => found.sentence;

  function letter(claim, found) {
    const questions = found.missing.map((gap, i) => `${i + 1}. ${QUESTIONS[gap]}`);
    const asked = questions.length
      ? `Before we can judge this, we need your answers to ${questions.length === 1 ? "one question" : `${questions.length} questions`}:\n\n${questions.join("\n")}`
      : "It leaves none of the seven questions open that such a claim must answer. Please confirm that we read it rightly.";
    const comes = found.total ? `What it comes to for one of us, as far as we can say now: ${found.verdict}` : "Until then we can't say what it comes to for one of us.";
    return `Dear Sir or Madam,\n\nwe read your claim of differential privacy as follows:\n\n${found.sentence}\n\n${asked}\n\n${comes}\n\nWith kind regards`;
  }

  const json = (claim, found) =>
    JSON.stringify({ claim, missing: found.missing, sentence: found.sentence, total: found.total, publications: found.releases, verdict: found.verdict }, null, 2);

  const UNIT = { event: "Event-level", "person-day": "User-day-level", person: "User-level", household: "Household-level", "per-record": "Record-level (per-record)" };
  const MODEL = { central: "Central", local: "Local", shuffled: "Shuffle", masked: "Distributed", enclave: "Central" };
  function card(claim, found, called) {
    const text = (value) => `'${String(value).replaceAll("'", "''")}'`;
    const price = claim.rho ? [`      rho: ${claim.rho}`] : [claim.epsilon && `      epsilon: ${claim.epsilon}`, claim.delta !== null && `      delta: ${claim.delta}`].filter(Boolean);
    const flavor = claim.rho ? "Zero-concentrated DP" : claim.delta ? "Approximate DP" : claim.delta === 0 ? "Pure DP" : "TODO";
    const release = !claim.period ? "TODO" : claim.period === "once" && claim.times === 1 ? "One release" : "Many releases";
    return [
      "url_slug: TODO", "status: Draft", "tier: TODO", "deployment:",
      "  product:", `    name: ${text(called)}`, "    data_curators:", "      - TODO", "    description: TODO", "    publication_date: TODO",
      "  dp_flavor:", `    name: ${flavor}`, `    input_metric: ${text(claim.neighbours ?? "TODO")}`,
      `    unprotected_quantities: ${claim.exceptions === "none" ? "None, as stated" : "TODO"}`,
      "  privacy_loss:", `    privacy_unit: ${UNIT[claim.unit] ?? "TODO"}`, `    privacy_unit_description: ${text(found.sentence)}`,
      price.length ? "    privacy_parameters:" : "    privacy_parameters: TODO", ...price,
      "  model:", `    model_name: ${MODEL[claim.model] ?? "TODO"}`, `    release_type: ${release}`,
      "  accounting:", `    composition: ${text(found.verdict)}`,
      "  resources:", "    sources: TODO", "    registry_authors:", "      - TODO", "",
    ].join("\n");
  }

  return { TEXTS, sentence, letter, json, card };
})();
