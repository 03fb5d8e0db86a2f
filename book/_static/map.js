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

  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const summary = make("p", { className: "map-progress" });
  const said = make("span");
  said.setAttribute("role", "status");
  const told = make("span"); // what became of a file
  told.setAttribute("role", "status");
  const button = (textContent, act) => {
    const made = make("button", { type: "button", textContent });
    made.addEventListener("click", act);
    return made;
  };

  // Chapters, questions and labs of this edition; a file may come from another one.
  const isKnown = (id) => {
    const [, chapter] = id.match(/^(?:seen|read|short)-(\d+)/) ?? [];
    if (chapter) return rows.has(chapter);
    if (id.startsWith("road-")) return true;
    return [...rows.values()].some(({ dataset }) => words(`${dataset.questions} ${dataset.labs}`).includes(id.replace(/-found$/, "")));
  };

  // Answers leave the browser as a file, and come back from one, there or in another browser.
  const save = button("Save my progress", () => {
    const href = URL.createObjectURL(new Blob([progress.saved()], { type: "application/json" }));
    make("a", { href, download: "sliding-epsilon-progress.json" }).click();
    URL.revokeObjectURL(href);
  });
  const file = make("input", { type: "file", accept: ".json,application/json", hidden: true, ariaLabel: "File with progress" });
  const read = button("Read saved progress", () => file.click());
  file.addEventListener("change", async () => {
    const given = await file.files[0].text();
    file.value = ""; // the same file may be chosen again
    const ids = progress.restore(given);
    const strange = ids?.filter((id) => !isKnown(id)).length;
    told.textContent = !ids
      ? "This file holds no progress of this book; nothing has changed."
      : `The file is read.${strange ? ` This edition of the book doesn't have ${strange} of its ${ids.length} marks; they are kept.` : ""}`;
  });

  const forget = button("Forget my progress", () => {
    if (!confirm("Forget which chapters you have read, and which questions and labs you have done? This can't be undone.")) return;
    progress.clear();
    told.textContent = "";
    read.focus({ preventScroll: true }); // the button goes away
  });
  summary.append(said, " ", save, " ", read, file, " ", forget, " ", told);
  map.before(summary);

  // "Go on with chapter 5", to a reader who was there last, or who has read all of 4: with the next that isn't
  // read, or, where none comes after, with the first. In the short edition, what is above the seam is all that there is.
  const isShort = () => document.documentElement.dataset.edition === "short";
  const start = document.querySelector(".front-buttons a");
  const first = { href: start.href, text: start.textContent };
  function goOn() {
    const last = progress.last();
    const chapter = last.match(/^(?:seen|read|short|lab)-(\d+)/)?.[1]
      ?? [...rows.keys()].find((number) => words(rows.get(number).dataset.questions).includes(last));
    const isRead = (number) => progress.count([`read-${number}`, ...(isShort() ? [`short-${number}`] : [])]) > 0;
    const unread = [...rows.keys()].filter((number) => !isRead(number));
    const next = isRead(chapter) ? unread.find((number) => Number(number) > Number(chapter)) ?? unread[0] : chapter;
    const link = rows.get(next)?.querySelector("a");
    const otherwise = isRead(chapter) ? "Read again from chapter 1" : first.text;
    start.href = link ? link.href : first.href;
    (start.querySelector("span") ?? start).textContent = link ? `Go on with chapter ${next}` : otherwise;
  }

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
      const inShort = progress.count([`short-${chapter}`]) && "the short edition read";
      const parts = [read.done ? "read" : inShort, questions.done && `${questions.text} answered`, labs.done && `${labs.text} labs`];
      const answered = row.querySelector(".answered") ?? row.appendChild(document.createElement("span"));
      answered.className = "answered";
      answered.textContent = parts.filter(Boolean).join(", ");
      const share = progress.count(ids.flat()) / ids.flat().length;
      row.style.setProperty("--share", share);
      row.classList.toggle("whole", share === 1);
    });
    const [seen, questions, labs] = sum;
    read.hidden = !progress.isKept;
    save.hidden = forget.hidden = !progress.kept().length;
    goOn();
    said.textContent = !progress.isKept
      ? "This browser keeps no memory for this page, so the map can't show how far you are."
      : !(seen.done || questions.done || labs.done)
        ? `Read, answer the chapters' ${questions.all} questions, solve their ${labs.all} labs, and the map shows how far you are. Only this browser remembers it.`
        : `You have read ${seen.done} of ${seen.all} chapters, answered ${questions.done} of ${questions.all} questions and done ${labs.done} of ${labs.all} labs. Only this browser remembers it.`;
  }
  document.addEventListener("progress", show);
  show();
});
