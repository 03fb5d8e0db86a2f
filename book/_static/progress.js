/* What the reader has answered rightly: ids of questions (tools/site_map.py), kept by this browser and told to nobody.
   Where a browser keeps nothing (private windows, some with files), answers count until the page is left. */
window.progress = (function () {
  "use strict";
  const KEY = "sliding-epsilon-answered";
  let answered = new Set();
  let kept = true;

  function load() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      answered = new Set(Array.isArray(stored) ? stored : []);
    } catch (error) {
      if (!(error instanceof SyntaxError)) kept = false; // not readable is as good as empty, refused is refused
    }
  }

  function save() {
    try {
      if (answered.size) localStorage.setItem(KEY, JSON.stringify([...answered]));
      else localStorage.removeItem(KEY);
    } catch {
      kept = false;
    }
    document.dispatchEvent(new Event("progress"));
  }

  function refresh() {
    load();
    document.dispatchEvent(new Event("progress"));
  }

  load();
  addEventListener("storage", refresh); // another tab
  addEventListener("pageshow", (event) => event.persisted && refresh()); // back from a chapter

  return {
    isKept: () => kept,
    count: (ids) => ids.filter((id) => answered.has(id)).length,
    add(id) {
      if (kept) load(); // another tab may have added some
      answered.add(id);
      save();
    },
    clear() {
      answered.clear();
      save();
    },
  };
})();
