/* Numbers as people type them, for the questions (quiz.js) and the labs (labs.js). */
window.numbers = (function () {
  "use strict";
  const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
  const SEPARATORS = /(?<=\d)[\s'’_](?=\d{3}(?!\d))/g; // 27 002, 27'002

  // A comma before three digits may stand for thousands or for decimals; elsewhere it can be decimals only.
  function plain(text) {
    const forms = [THOUSANDS.test(text) ? text.replaceAll(",", "") : "", text.replace(",", ".")];
    return forms.filter((form) => PLAIN.test(form)).map(Number);
  }

  // All numbers that a text may mean, the likeliest first; none where it is no number.
  function readings(text) {
    const typed = text.trim().replace(/[−–]/g, "-").replace(/^[~≈]\s*/, "").replace(SEPARATORS, "")
      .replace(/\s*[×*]\s*10\^/, "e").replace(/^10\^/, "1e");
    const [, inner, percent] = typed.match(/^(.*?)(\s*%)?$/s);
    const parts = inner.split("/").map((part) => plain(part.trim()));
    if (parts.length > 2) return [];
    const [tops, bottoms = [1]] = parts;
    const values = tops.flatMap((top) => bottoms.map((bottom) => top / bottom));
    const meant = percent ? [...values.map((value) => value / 100), ...values] : values; // a lab may ask for percent
    return [...new Set(meant.filter(Number.isFinite))];
  }

  const refusal = (text) =>
    text.trim() ? `“${text.trim()}” is no number that can be read here: write it like 0.25, 1/4, 25% or 27002.` : "Type a number first.";

  // Where a number can be written in more than one way, the field says how it was read.
  const shown = (value) => String(Number(value.toPrecision(6))).replace("-", "−");
  const note = (text, value) => (text.trim().replace("-", "−") === shown(value) ? "" : `read as ${shown(value)}`);

  // A field for a number, with room for how it was read.
  function field(words, name = "") {
    const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
    const label = make("label", { textContent: words + ": " });
    const input = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", size: 12, name });
    const read = make("span", { className: "number-read" });
    label.append(input, read);
    input.addEventListener("input", () => (read.textContent = ""));
    return { label, input, say: (value) => (read.textContent = note(input.value, value)) };
  }

  return { readings, refusal, field };
})();
