/* Numbers as people type them, for the questions (quiz.js) and the labs (labs.js). */
window.numbers = (function () {
  "use strict";
  const PLAIN = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const THOUSANDS = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
  const SEPARATORS = /(?<=\d)[\s'’_](?=\d{3}(?!\d))/g; // 27 002, 27'002
  const CONTINENTAL = /^[1-9]\d{0,2}(\.\d{3}(,\d*|(\.\d{3})+,?\d*)|(\.\d{3})+,\d*)$/; // 1.234,5 and 1.234.567
  const FRACTIONS = new Map([["½", 1 / 2], ["⅓", 1 / 3], ["⅔", 2 / 3], ["¼", 1 / 4], ["¾", 3 / 4], ["⅛", 1 / 8]]);
  const CONSTANTS = new Map([["e", Math.E], ["π", Math.PI], ["pi", Math.PI]]);
  const FORMS = new Map([["ln", Math.log], ["exp", Math.exp], ["sqrt", Math.sqrt], ["√", Math.sqrt]]); // log may be base 10
  const LARGE = { hundred: "1e2", thousand: "1e3", million: "1e6", billion: "1e9" };
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const TOKEN = /(?:\d[\d.,]*|\.\d+)(?:e[+-]?\d+)?|\p{L}+|\S/giu;
  const MULTIPLIES = /^(?:e|π|pi|ln|exp|sqrt|√|\()$/i; // behind a number: 2√2, 3 ln 2, 2(1 + e)
  // Words that end a number say what is counted (5 people), unless they change it or are numbers themselves.
  const CHANGES = "e|pi|π|ln|log|exp|sqrt|k|m|bn|mio|mrd|squared|cubed|half|halves|dozen|trillion|and|or|to|in|out|plus|minus|point|" +
    "(?:third|quarter|fourth|fifth|sixth|eighth|tenth|hundredth|thousandth|millionth)s?|pro(?:mille|zent)|tausend|million\\p{L}*";
  const UNIT = new RegExp(`(?<=[\\d)%½⅓⅔¼¾⅛])\\s+(?!(?:${CHANGES})(?!\\p{L}))\\p{L}[\\p{L}\\s]*$`, "iu");

  // A comma before three digits may stand for thousands or for decimals; elsewhere it can be decimals only.
  function plain(text) {
    if (CONTINENTAL.test(text)) return [Number(text.replaceAll(".", "").replace(",", "."))];
    const forms = [THOUSANDS.test(text) ? text.replaceAll(",", "") : "", text.replace(",", ".")];
    return forms.filter((form) => PLAIN.test(form)).map(Number);
  }

  // 10 ** -5 is a little less than 1e-5.
  const raised = (base, power) => (base === 10 && Number.isInteger(power) ? Number(`1e${power}`) : base ** power);

  // Sums, products, powers and brackets, by the rules of arithmetic. Each part is a list of all that it may mean, and what
  // could be meant in two ways (1/2/3, 1/2√2, ln 2^3) is an empty one.
  function meanings(text) {
    const left = text.match(TOKEN) ?? [];
    const take = (...asked) => (asked.includes(left[0]) ? left.shift() : "");
    const both = (ones, others, form) => ones.flatMap((one) => others.map((other) => form(one, other)));

    function sum() {
      let value = product();
      for (let sign = take("+", "-"); sign; sign = take("+", "-")) {
        const way = sign === "+" ? 1 : -1;
        value = both(value, product(), (a, b) => a + way * b);
      }
      return value;
    }
    function product() {
      let value = signed();
      for (let divided = false; left.length; ) {
        if (take("*")) value = both(value, signed(), (a, b) => a * b);
        else if (!divided && MULTIPLIES.test(left[0])) value = both(value, power(), (a, b) => a * b);
        else if (!divided && take("/")) {
          value = both(value, signed(), (a, b) => a / b);
          divided = true;
        } else break;
      }
      return value;
    }
    const signed = () => (take("-") ? power().map((value) => -value) : (take("+"), power()));
    function power() {
      const base = part();
      return take("^") ? both(base, signed(), raised) : base;
    }
    function part() {
      const token = left.shift() ?? "";
      if (token === "(") {
        const value = sum();
        return take(")") ? value : [];
      }
      if (/^[.\d]/.test(token)) return plain(token);
      const [known, form] = [FRACTIONS.get(token) ?? CONSTANTS.get(token), FORMS.get(token.toLowerCase())];
      if (!form) return known ? [known] : [];
      const bare = left[0] !== "(";
      const inner = part();
      return bare && left[0] === "^" ? [] : inner.map(form);
    }

    const value = sum();
    return left.length ? [] : value;
  }

  // What stands around a number and isn't one: k = 2, by 2.3, $921, 921 $, 12x, 0.333…
  const AROUND = /^\s*(?:\p{L}\w*\s*[=≈]|(?:by|about|around|roughly)(?!\p{L}))|[$€£]|(?<=\d)\s*(?:[x×]|…|\.{3})\s*$/giu;

  // One spelling of each sign: 10⁻⁵ and 10**-5 are 10^(-5), 2·3 is 2*3, 1.5 million is 1.5*1e6, 1½ is (1+½), 0.(3) is 3/9.
  const spelled = (text) =>
    text.replace(AROUND, "").replace(/[−–]/g, "-").replace(/[×·⋅]/g, "*").replace(/[÷:]/g, "/").replaceAll("**", "^").replaceAll("{", "(").replaceAll("}", ")")
      .replace(/⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (power) => `^(${[...power].map((digit) => (digit === "⁻" ? "-" : RAISED.indexOf(digit))).join("")})`)
      .replace(/(?<=[\d)½⅓⅔¼¾⅛])\s*per\s?cent(?!\p{L})/iu, "%")
      .replace(/(?<=[\d)½⅓⅔¼¾⅛])\s*(hundred|thousand|million|billion)(?!\p{L})/giu, (_, word) => `*${LARGE[word.toLowerCase()]}`)
      .replace(/^\s*[~≈]/, "").replace(SEPARATORS, "")
      .replace(/(\d+)\s*([½⅓⅔¼¾⅛])/g, "($1+$2)").replace(/^(\s*-?\s*)(\d+) +(\d{1,2})\s*\/\s*(\d+)(?=\s*$|\s+\p{L})/u, "$1($2+$3/$4)")
      .replace(/(\d+)\.\((\d+)\)/g, (_, whole, again) => `(${whole}+${again}/${"9".repeat(again.length)})`);

  // All numbers that a text may mean, the likeliest first; none where it is no number.
  function readings(text) {
    if (text.length > 60) return [];
    const [, inner, percent] = spelled(text).trim().replace(UNIT, "").match(/^(.*?)(\s*%)?$/s);
    const values = meanings(inner.replace(/^(.+?)\s+(?:in|out of)\s+(.+)$/i, "($1)/($2)")); // 1 in 100,000
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
