/* Labs on the page: a number, numbers or a program's wrong lines are judged by the lab's own table
   (tools/book_site/answering.py) as dp_labs.check would, with its messages; a lab that asks for code says how to run it from where
   it stands, and is done when the reader says so. */
window.labs = (function () {
  "use strict";
  const close = (table) => `close: round later, and give ${table.digits === 2 ? "two" : "three"} digits.`;

  const element = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const near = (given, right, share) => Math.abs(given - right) <= share * Math.max(Math.abs(given), Math.abs(right));

  // As dp_labs/tables.py: to half a percent, or to so many significant digits.
  function within(given, right, digits) {
    const unit = right ? 10 ** (Math.floor(Math.log10(Math.abs(right))) - digits + 1) : 0.01;
    const rounding = digits < 3 || !right ? 0.5 * unit * (1 + 1e-9) : 0;
    return Math.abs(given - right) <= Math.max(5e-3 * Math.abs(right), rounding);
  }
  const nearly = (given, right) => within(given, right, 2) || near(given, right, 0.03);

  const judges = {
    number(table, given) {
      const ends = [table.right].flat(); // a number, or a pair
      const right = (ends[0] <= given && given <= ends.at(-1)) || ends.some((end) => within(given, end, table.digits));
      // A mistake may lead next to what is right.
      const mistake = table.mistakes.find(([wrong]) => near(given, wrong, right ? 1e-3 : 5e-3));
      if (mistake) return [false, mistake[1]];
      if (right) return [true, table.praise];
      if (ends.some((end) => nearly(given, end))) return [false, close(table)];
      return [false, table.otherwise];
    },
    numbers(table, given) {
      const wrong = given.map((_, i) => i).filter((i) => !within(given[i], table.right[i], table.digits));
      if (!wrong.length) return [true, table.praise];
      const fits = ([numbers]) => numbers.every((b, i) => b === null || near(given[i], b, 5e-3));
      const mistake = table.mistakes.find(fits);
      if (mistake) return [false, mistake[1]];
      if (wrong.every((i) => nearly(given[i], table.right[i]))) return [false, close(table)];
      return [false, table.otherwise.replace("{name}", table.names[wrong[0]])];
    },
    lines(table, given) {
      const innocent = table.harmless.find(([line]) => given.includes(line));
      if (innocent) return [false, innocent[1]];
      const missing = table.hints.find(([line]) => !given.includes(line));
      if (missing) return [false, "there is more to find: " + missing[1]];
      return [true, table.praise];
    },
  };
  const judge = (table, given) => judges[table.kind](table, given);

  // The lines of the lab's program, in the box or in the cell after it, each with a box to tick.
  function askLines(table, fields, box) {
    const shown = box.querySelector("div.highlight") ?? box.nextElementSibling.querySelector("div.highlight");
    const lines = shown.querySelector("pre").innerHTML.split("\n").slice(0, table.lines);
    const numbered = /^1\s/.test(shown.textContent);
    fields.className = "lab-lines highlight";
    const inputs = lines.map((html, i) => {
      const input = element("input", { type: "checkbox" });
      const code = element("code", { innerHTML: (numbered ? "" : String(i + 1).padEnd(4)) + html });
      const label = element("label");
      label.append(input, code);
      fields.append(label);
      return input;
    });
    if (box.contains(shown)) shown.hidden = true;
    return () => {
      const given = inputs.flatMap((input, i) => (input.checked ? [i + 1] : []));
      return given.length ? { answer: given } : { missing: "Choose a line first." };
    };
  }

  function ask(table, fields, box) {
    if (table.kind === "lines") return askLines(table, fields, box);
    const asked = (table.names ?? ["Your number"]).map((words) => numbers.field(words));
    fields.append(...asked.map(({ label }) => label));
    return () => {
      const meant = asked.map(({ input }) => numbers.readings(input.value));
      const unread = meant.findIndex((readings) => !readings.length);
      if (unread >= 0) return { missing: numbers.refusal(asked[unread].input.value) };
      const answers = meant.reduce((some, readings) => some.flatMap((one) => readings.map((next) => [...one, next])), [[]]);
      const answer = answers.find((one) => judge(table, table.names ? one : one[0])[0]) ?? answers[0];
      asked.forEach(({ say }, i) => say(answer[i]));
      return { answer: table.names ? answer : answer[0] };
    };
  }

  function build(box, script) {
    const number = script.dataset.lab;
    const table = JSON.parse(atob(script.textContent));
    const form = element("form", { className: "lab-form" });
    const fields = element("fieldset");
    const wanted = table.kind === "lines" ? "Which lines are wrong?" : "Your answer";
    fields.append(element("legend", { textContent: wanted, className: table.kind === "lines" ? "" : "visually-hidden" }));
    const verdict = element("div", { className: "quiz-verdict" });
    verdict.setAttribute("role", "status");
    const given = ask(table, fields, box);
    form.append(fields, element("button", { type: "submit", textContent: "Check" }), verdict);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { answer, missing } = given();
      const [right, words] = missing ? [false, missing] : judge(table, answer);
      verdict.className = "quiz-verdict " + (missing ? "" : right ? "right" : "wrong");
      const head = !right ? `Lab ${number}, not yet: ` : table.mend ? "Found: " : `Lab ${number} is right. `;
      verdict.textContent = (missing ? "" : head) + words;
      if (right) progress.add(box.id + (table.mend ? "-found" : "")); // found is not yet mended
    });
    script.replaceWith(form);
    progress.keep(form, box.id);
    return !table.mend;
  }

  // What this copy of the book offers to run a chapter stands in its menus; here it stands at the lab.
  function offer(box) {
    const line = element("p", { className: "lab-run", textContent: "Write it in Jupyter: " });
    document.querySelectorAll(".dropdown-launch-buttons .dropdown-item").forEach((way) => {
      const copy = element(way.href ? "a" : "button", { textContent: way.textContent.trim() });
      if (way.href) copy.href = way.href;
      else copy.addEventListener("click", () => way.click());
      line.append(copy, " · ");
    });
    const source = document.querySelector(".dropdown-download-buttons a[href$='.ipynb']");
    if (source) line.append(element("a", { href: source.href, textContent: "download this chapter", download: "" }), ", ");
    line.append("then ", element("code", { textContent: "jupyter lab" }), "; its first cell installs what it needs. ");
    const done = element("button", { type: "button", textContent: "Mark as done" });
    done.addEventListener("click", () => progress.add(box.id));
    line.append(done);
    box.append(line);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const boxes = [...document.querySelectorAll(".admonition.lab")];
    if (!boxes.length) return;
    const code = boxes.filter((box) => {
      const script = box.querySelector(".lab-table");
      return !(script && build(box, script));
    });
    addEventListener("load", () => code.forEach(offer)); // by then live.js has taken away what can't be had here
    const say = (done, all) => `You have done ${done} of this chapter's ${all} labs.`;
    boxes.at(-1).parentElement.append(progress.follow(boxes, "done", say));
  });
  return { judge };
})();
