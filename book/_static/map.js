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
  forget.textContent = "Forget my answers";
  summary.append(said, " ", forget);
  map.before(summary);
  forget.addEventListener("click", () => {
    if (!confirm("Forget which questions you have answered? This can't be undone.")) return;
    progress.clear();
    map.querySelector("a").focus({ preventScroll: true }); // the button goes away
  });

  function show() {
    let right = 0;
    let all = 0;
    for (const row of rows.values()) {
      const ids = words(row.dataset.questions);
      const count = progress.count(ids);
      const answered = row.querySelector(".answered") ?? row.appendChild(document.createElement("span"));
      answered.className = "answered";
      answered.textContent = count ? `${count} of ${ids.length} answered` : "";
      row.style.setProperty("--share", count / ids.length);
      row.classList.toggle("whole", count === ids.length);
      right += count;
      all += ids.length;
    }
    forget.hidden = !right;
    said.textContent = !progress.isKept
      ? "This browser keeps no memory for this page, so the map can't show which questions you have answered."
      : right
        ? `You have answered ${right} of ${all} questions rightly. Only this browser remembers it.`
        : `Answer the chapters' ${all} questions, and the map shows how far you are. Only this browser remembers it.`;
  }
  document.addEventListener("progress", show);
  show();
});
