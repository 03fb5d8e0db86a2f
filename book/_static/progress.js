/* What the reader has answered rightly: ids of questions (tools/book_site/questions.py), kept by this browser and told to nobody. */
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

  return {
    isKept: !localStorage.isForgotten,
    count(ids) {
      const answered = load();
      return ids.filter((id) => answered.has(id)).length;
    },
    add: (id) => store(load().add(id)),
    clear: () => store(new Set()),
  };
})();
