/* What the reader has done, kept by this browser and told to nobody: ids of questions (tools/book_site/answering.py) and
   labs answered rightly, of chapters read, of stops of a road, and what stands in each form. */
window.progress = (function () {
  "use strict";
  const KEY = "sliding-epsilon-answered";
  const FORMS = "sliding-epsilon-typed";

  function load() {
    try {
      return new Set([].concat(JSON.parse(localStorage.getItem(KEY))).filter((id) => typeof id === "string"));
    } catch {
      return new Set(); // something else has written there
    }
  }

  function store(answered) {
    if (answered.size) localStorage.setItem(KEY, JSON.stringify([...answered]));
    else localStorage.removeItem(KEY);
    tell();
  }

  // What stands in the fields of one form: texts, and which choices are made.
  const isForm = (form) =>
    Array.isArray(form?.values) && form.values.every((value) => ["string", "boolean"].includes(typeof value));
  const isObject = (given) => Object(given) === given && !Array.isArray(given);

  function typed() {
    try {
      const forms = JSON.parse(localStorage.getItem(FORMS));
      return isObject(forms) ? Object.fromEntries(Object.entries(forms).filter(([, form]) => isForm(form))) : {};
    } catch {
      return {};
    }
  }

  // What was typed or chosen is there again after a reload, with its verdict where the reader had asked for one.
  function keep(form, id) {
    const inputs = [...form.querySelectorAll("input")];
    const write = (checked) => {
      const values = inputs.map((input) => (input.type === "text" ? input.value : input.checked));
      localStorage.setItem(FORMS, JSON.stringify({ ...typed(), [id]: { values, checked } }));
    };
    const before = typed()[id];
    if (before?.values?.length === inputs.length) {
      inputs.forEach((input, i) => (input[input.type === "text" ? "value" : "checked"] = before.values[i]));
      if (before.checked) form.requestSubmit();
    }
    form.addEventListener("input", () => write(false));
    form.addEventListener("submit", () => write(true));
  }

  const kept = () => [...load(), ...Object.keys(typed())];

  const tell = () => document.dispatchEvent(new Event("progress"));
  addEventListener("storage", tell); // another tab
  addEventListener("pageshow", tell); // back from a chapter

  const isKept = !localStorage.isForgotten;
  const count = (ids) => {
    const answered = load();
    return ids.filter((id) => answered.has(id)).length;
  };
  const add = (id) => store(load().add(id));
  function drop(id) {
    const answered = load();
    answered.delete(id);
    store(answered);
  }

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
      marks.forEach((done, i) => {
        const whole = count([boxes[i].id]);
        done.hidden = !whole && !count([boxes[i].id + "-found"]);
        done.textContent = whole ? mark : "found";
      });
      line.textContent = `${say(count(boxes.map((box) => box.id)), boxes.length)} ${memory}`;
    };
    document.addEventListener("progress", show);
    show();
    return line;
  }

  function clear() {
    localStorage.removeItem(FORMS);
    store(new Set());
  }

  // All of it as a text, for a file; and back from one, to what is there already. Returns the ids that the file has, or
  // null, with nothing changed, where the text is no such file.
  const saved = () => JSON.stringify({ answered: [...load()], typed: typed() });
  function restore(text) {
    try {
      const { answered, typed: forms } = JSON.parse(text);
      const isOurs = Array.isArray(answered) && answered.every((id) => typeof id === "string");
      if (!isOurs || !isObject(forms) || !Object.values(forms).every(isForm)) return null;
      localStorage.setItem(FORMS, JSON.stringify({ ...typed(), ...forms }));
      store(new Set([...load(), ...answered]));
      return [...new Set([...answered, ...Object.keys(forms)])];
    } catch {
      return null;
    }
  }
  const last = () => [...load()].at(-1) ?? ""; // what was done last

  return { isKept, kept, count, add, drop, follow, keep, clear, saved, restore, last };
})();
