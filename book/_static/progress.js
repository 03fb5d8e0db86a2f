/* What the reader has done, kept by this browser and told to nobody: ids of questions (tools/book_site/questions.py) and
   labs (labs.py) answered rightly, and of chapters read. */
window.progress = (function () {
  "use strict";
  const KEY = "sliding-epsilon-answered";

  function load() {
    try {
      return new Set([].concat(JSON.parse(localStorage.getItem(KEY)) ?? []));
    } catch {
      return new Set(); // something else has written there
    }
  }

  function store(answered) {
    if (answered.size) localStorage.setItem(KEY, JSON.stringify([...answered]));
    else localStorage.removeItem(KEY);
    tell();
  }

  const tell = () => document.dispatchEvent(new Event("progress"));
  addEventListener("storage", tell); // another tab
  addEventListener("pageshow", tell); // back from a chapter

  const isKept = !localStorage.isForgotten;
  const count = (ids) => {
    const answered = load();
    return ids.filter((id) => answered.has(id)).length;
  };
  const add = (id) => store(load().add(id));

  // What of these boxes is done carries a mark; a line, which is returned, counts.
  function follow(boxes, mark, say) {
    const line = Object.assign(document.createElement("p"), { className: "quiz-count" });
    line.setAttribute("role", "status");
    const marks = boxes.map((box) => {
      const done = Object.assign(document.createElement("span"), { className: "quiz-done", textContent: mark });
      box.querySelector(".admonition-title").append(" ", done);
      return done;
    });
    const memory = isKept ? "Only this browser remembers it." : "Your browser forgets it when you leave the page.";
    const show = () => {
      marks.forEach((done, i) => (done.hidden = !count([boxes[i].id])));
      line.textContent = `${say(count(boxes.map((box) => box.id)), boxes.length)} ${memory}`;
    };
    document.addEventListener("progress", show);
    show();
    return line;
  }

  return { isKept, count, add, follow, clear: () => store(new Set()) };
})();
