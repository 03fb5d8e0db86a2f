/* Turns every admonition of class "quiz" into a question that answers back.

   In the source: a question, a numbered list of choices, and a dropdown that holds a numbered list of reasons in
   the same order, of which the right ones begin with "Right".  A single choice that begins with "=" asks for a
   number: "= 0.27 ± 0.01".  Without JavaScript, and in JupyterLab, the list stands with its answers folded away. */
(function () {
  "use strict";

  function build(box, number) {
    const details = box.querySelector("details");
    const list = [...box.querySelectorAll("ol")].find((ol) => !details || !details.contains(ol));
    const reasons = details ? [...details.querySelectorAll("ol > li")] : [];
    if (!list || reasons.length !== list.children.length) return null;

    const form = element("form");
    const fields = element("fieldset");
    const legend = element("legend");
    const verdict = element("div", { className: "quiz-verdict" });
    verdict.setAttribute("role", "status");
    // The paragraph before the list is the question; it names the group for a screen reader.
    const question = list.previousElementSibling;
    if (question && question.matches("p:not(.admonition-title)")) {
      legend.append(...question.childNodes);
      question.remove();
    } else {
      legend.textContent = "Your answer";
    }
    fields.append(legend);

    const choices = [...list.children].map((item, i) => ({
      item,
      right: /^\s*Right/.test(reasons[i].textContent),
      why: () => inner(reasons[i]).innerHTML, // read when asked: by then its mathematics is set
    }));
    const ask = choices.length === 1 ? askNumber : askChoice;
    const judge = ask(choices, fields, "quiz-" + number);
    form.append(fields, element("button", { type: "submit", textContent: "Check" }), verdict);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [outcome, html] = judge();
      verdict.className = "quiz-verdict " + outcome;
      verdict[outcome ? "innerHTML" : "textContent"] = html; // what was typed is no HTML
      if (outcome) uncover();
      if (outcome === "right") progress.add(box.id);
    });
    list.replaceWith(form);
    const uncover = cover(box);
    progress.keep(form, box.id);
    return box;
  }

  // The output that holds a prediction's answer is covered until the reader has chosen, or asks for it.
  function cover(box) {
    const cell = box.nextElementSibling;
    const output = cell?.matches(".cell.tag_answers-predict") && cell.querySelector(".cell_output");
    if (!output) return () => {};
    const button = element("button", { type: "button", className: "predict-cover", textContent: "Show the answer" });
    output.before(button);
    output.hidden = true;
    const uncover = () => {
      output.hidden = false;
      button.remove();
    };
    button.addEventListener("click", () => {
      uncover();
      output.tabIndex = -1; // the focus goes on where the button was
      output.focus();
    });
    return uncover;
  }

  function askChoice(choices, fields, name) {
    const several = choices.filter((choice) => choice.right).length > 1;
    const inputs = choices.map(({ item }) => {
      const input = element("input", { type: several ? "checkbox" : "radio", name });
      const text = element("span");
      text.append(...inner(item).childNodes);
      const label = element("label");
      label.append(input, text);
      fields.append(label);
      return input;
    });
    return () => {
      const chosen = choices.filter((_, i) => inputs[i].checked);
      if (!chosen.length) return ["", "Choose an answer first."];
      const right = choices.every((choice, i) => choice.right === inputs[i].checked);
      const said = chosen.map((choice) => choice.why());
      if (!right && chosen.every((choice) => choice.right)) said.push("There is another right answer.");
      return [right ? "right" : "wrong", said.join("<br>")];
    };
  }

  function askNumber([choice], fields, name) {
    const [target, margin] = inner(choice.item).textContent.trim().slice(1).split("±").map((text) => numbers.readings(text)[0]);
    const { label, input, say } = numbers.field("Your number", name);
    fields.append(label);
    return () => {
      const meant = numbers.readings(input.value);
      if (!meant.length) return ["", numbers.refusal(input.value)];
      const right = meant.find((number) => Math.abs(number - target) <= margin * (1 + 1e-9));
      say(right ?? meant[0]);
      if (right !== undefined) return ["right", choice.why()];
      return ["wrong", "Not yet: your number is too " + (meant[0] > target ? "large." : "small.")];
    };
  }

  function inner(item) {
    const paragraph = item.firstElementChild;
    return item.children.length === 1 && paragraph.tagName === "P" ? paragraph : item;
  }

  function element(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
  }

  // Who has had the head of each section up to the last question in view for a second, in one visit or in many, has read
  // the chapter; who has had those above the seam, and the seam, has read its short edition. There "Before you start" is
  // folded.
  function noteReading(last) {
    const chapter = location.pathname.match(/\/(\d\d)-[^/]*$/)?.[1];
    if (!chapter) return;
    const number = Number(chapter);
    const seam = document.querySelector(".seam");
    const id = (one) => `seen-${number}-${one === seam ? "seam" : one.parentElement.id}`;
    const comesBefore = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    const heads = [...document.querySelectorAll("article section > h2")].filter((head) => comesBefore(head, last));
    const needed = heads.filter((head) => head.parentElement.id !== "before-you-start");
    const above = [...needed.filter((head) => seam && comesBefore(head, seam)), ...(seam ? [seam] : [])];
    const waiting = new Map();
    const see = (head) => {
      watch.unobserve(head);
      progress.add(id(head));
      if (seam && progress.count(above.map(id)) === above.length) progress.add(`short-${number}`);
      if (progress.count(needed.map(id)) === needed.length) progress.add(`read-${number}`);
    };
    const watch = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        clearTimeout(waiting.get(target));
        if (isIntersecting) waiting.set(target, setTimeout(() => see(target), 1000));
      }
    });
    [...heads, ...above.slice(-1)].forEach((one) => watch.observe(one));
  }

  document.addEventListener("DOMContentLoaded", () => {
    const boxes = [...document.querySelectorAll(".admonition.quiz")].filter(build);
    if (!boxes.length) return;
    const say = (right, all) => `You have answered ${right} of this page's ${all} questions rightly.`;
    const line = progress.follow(boxes, "answered", say);
    boxes.at(-1).after(line);
    noteReading(line);
  });
})();
