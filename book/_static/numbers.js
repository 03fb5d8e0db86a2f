/* Numbers as people type them, for the questions (quiz.js) and the labs (labs.js). */
window.numbers = (function () {
  "use strict";
  const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
  const SEPARATORS = /(?<=\d)[\s'’_](?=\d{3}(?!\d))/g; // 27 002, 27'002
  const CONTINENTAL = /^[+-]?[1-9]\d{0,2}(\.\d{3})+,\d*$/; // 1.234,5
  const PARTS = { "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅛": "1/8" };
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const UNIT = /(?<=[\d).½⅓⅔¼¾⅛])\s+\p{L}[\p{L}\s]*$/u; // 5 people

  // A comma before three digits may stand for thousands or for decimals; elsewhere it can be decimals only.
  function plain(text) {
    if (CONTINENTAL.test(text)) return [Number(text.replaceAll(".", "").replace(",", "."))];
    const forms = [THOUSANDS.test(text) ? text.replaceAll(",", "") : "", text.replace(",", ".")];
    return forms.filter((form) => PLAIN.test(form)).map(Number);
  }

  // A number, ln 2, √2, 2^10 or e^-1.
  function valued(text) {
    const [, sign, form, inner] = text.match(/^([+-]?)(ln|√)\s*\(?([^()]+)\)?$/i) ?? [];
    if (form) return plain(inner).map((number) => (sign === "-" ? -1 : 1) * (form === "√" ? Math.sqrt(number) : Math.log(number)));
    const [, base, power] = text.match(/^(.+)\^\(?([^()^]+)\)?$/) ?? [];
    if (!base) return plain(text);
    const bases = base === "e" ? [Math.E] : plain(base);
    return bases.flatMap((one) => plain(power).map((exponent) => one ** exponent));
  }

  // As the book prints it: 10⁻⁵ is 10^-5, ½ is 1/2.
  const typeable = (text) =>
    text.replace(/[½⅓⅔¼¾⅛]/g, (part) => PARTS[part])
      .replace(/⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (power) => "^" + [...power].map((digit) => (digit === "⁻" ? "-" : RAISED.indexOf(digit))).join(""));

  // All numbers that a text may mean, the likeliest first; none where it is no number.
  function readings(text) {
    if (/\d[½⅓⅔¼¾⅛]/.test(text)) return []; // 2½ would become 21/2
    const typed = typeable(text.trim().replace(UNIT, "")).replace(/[−–]/g, "-").replace(/^[~≈]\s*/, "").replace(SEPARATORS, "")
      .replace(/\s*[×*]\s*10\^/, "e").replace(/^10\^/, "1e");
    const [, inner, percent] = typed.match(/^(.*?)(\s*%)?$/s);
    const parts = inner.split("/").map((part) => valued(part.trim()));
    if (parts.length > 2) return [];
    const [tops, bottoms = [1]] = parts;
    const values = tops.flatMap((top) => bottoms.map((bottom) => top / bottom));
    const meant = percent ? [...values.map((value) => value / 100), ...values] : values; // a lab may ask for percent
    return [...new Set(meant.filter(Number.isFinite))];
  }

  const refusal = (text) =>
    text.trim() ? `“${text.trim()}” is no number that can be read here: write it like 0.25, 1/4, 25%, 27002, 10^-5 or ln 2.` : "Type a number first.";

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
