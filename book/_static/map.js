/* The map of the chapters: how far the reader is, and what leads to the chapter under the pointer or the focus. */
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const map = document.querySelector(".chapter-map");
  if (!map) return;
  const words = (text) => text.split(" ").filter(Boolean);
  const rows = new Map([...map.children].map((row) => [String(row.value), row]));

  function light(number) {
    const lit = new Set();
    const visit = (chapter) => {
      lit.add(chapter);
      words(rows.get(chapter).dataset.needs).forEach(visit);
    };
    if (number) visit(number);
    rows.forEach((row, chapter) => row.classList.toggle("lit", lit.has(chapter)));
    for (const line of map.querySelectorAll("[data-to]")) {
      if (line.classList.toggle("lit", words(line.dataset.to).some((chapter) => lit.has(chapter)))) {
        line.parentNode.append(line); // over those that are not
      }
    }
  }

  rows.forEach((row, number) => {
    row.addEventListener("pointerenter", () => light(number));
    row.addEventListener("focusin", () => light(number));
  });
  map.addEventListener("pointerleave", () => light());
  map.addEventListener("focusout", () => light());

  const summary = document.createElement("p");
  summary.className = "map-progress";
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  const forget = document.createElement("button");
  forget.type = "button";
  forget.textContent = "Forget my progress";
  summary.append(said, " ", forget);
  map.before(summary);
  forget.addEventListener("click", () => {
    if (!confirm("Forget which chapters you have read, and which questions and labs you have done? This can't be undone.")) return;
    progress.clear();
    map.querySelector("a").focus({ preventScroll: true }); // the button goes away
  });

  // What there is to do in the whole book, and what is done: chapters read, questions, labs.
  function show() {
    const sum = [0, 0, 0].map(() => ({ done: 0, all: 0 }));
    rows.forEach((row, chapter) => {
      const ids = [["read-" + chapter], words(row.dataset.questions), words(row.dataset.labs)];
      const [read, questions, labs] = ids.map((some, i) => {
        const done = progress.count(some);
        sum[i].done += done;
        sum[i].all += some.length;
        return { done, text: `${done} of ${some.length}` };
      });
      const parts = [read.done && "read", questions.done && `${questions.text} answered`, labs.done && `${labs.text} labs`];
      const answered = row.querySelector(".answered") ?? row.appendChild(document.createElement("span"));
      answered.className = "answered";
      answered.textContent = parts.filter(Boolean).join(", ");
      const share = progress.count(ids.flat()) / ids.flat().length;
      row.style.setProperty("--share", share);
      row.classList.toggle("whole", share === 1);
    });
    const [read, questions, labs] = sum;
    forget.hidden = !(read.done || questions.done || labs.done);
    said.textContent = !progress.isKept
      ? "This browser keeps no memory for this page, so the map can't show how far you are."
      : forget.hidden
        ? `Read, answer the chapters' ${questions.all} questions, solve their ${labs.all} labs, and the map shows how far you are. Only this browser remembers it.`
        : `You have read ${read.done} of ${read.all} chapters, answered ${questions.done} of ${questions.all} questions and done ${labs.done} of ${labs.all} labs. Only this browser remembers it.`;
  }
  document.addEventListener("progress", show);
  show();
});
