/* The search page, and the dialog of every page, which shows finds while one types. A find is a section, a term or a
   function, with its words around the first hit; what is found, and in which order: find.js. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const SHOWN = { page: 40, dialog: 8 };
  const AROUND = 12; // words of text before and after a hit
  const PARTS = ["minisearch.js", "find.js", "sections.js", "search-index.js"]; // loaded when somebody searches

  let loading;
  const load = (name) =>
    new Promise((done, failed) => {
      const script = Object.assign(document.createElement("script"), { src: new URL(name, here), onload: done, onerror: failed });
      document.head.append(script);
    });
  const ready = () =>
    (loading ??= PARTS.reduce((before, name) => before.then(() => load(name)), Promise.resolve()).then(() => MiniSearch.loadJS(SEARCH_INDEX, finder.INDEX)));

  function excerpt(text, asked) {
    const pieces = text.split(" ");
    const hit = (piece) => finder.asked(piece).some((one) => asked.some((word) => one.startsWith(word)));
    const first = Math.max(0, pieces.findIndex(hit) - AROUND);
    const made = document.createElement("p");
    if (first) made.append("… ");
    for (const piece of pieces.slice(first, first + 3 * AROUND)) {
      const shown = hit(piece) ? document.createElement("mark") : document.createElement("span");
      shown.textContent = piece;
      made.append(shown, " ");
    }
    if (first + 3 * AROUND < pieces.length) made.append("…");
    return made;
  }

  function row([url, kind, title, page, , text], asked) {
    const made = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: new URL(`../${url}`, here), textContent: title });
    const place = Object.assign(document.createElement("span"), { textContent: kind === "page" ? "" : page });
    made.append(link, " ", place, excerpt(text, asked));
    return made;
  }

  // Have a field show its finds in a list, and say how many there are.
  function attach(field, list, said, most) {
    let waiting = false;
    async function show() {
      const index = await ready();
      waiting = false;
      const asked = finder.asked(field.value);
      const found = asked.length ? finder.search(index, SECTIONS, field.value) : [];
      list.replaceChildren(...found.slice(0, most).map((id) => row(SECTIONS[id], asked)));
      const many = found.length === 1 ? "One place." : `${found.length} places${found.length > most ? `; the first ${most}` : ""}.`;
      said.textContent = !asked.length ? "" : found.length ? many : "Nothing found. Another word may find it.";
    }
    field.addEventListener("input", () => {
      if (!waiting) requestAnimationFrame(show);
      waiting = true;
    });
    return show;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const page = document.querySelector(".search-form input");
    if (page) {
      page.value = new URLSearchParams(location.search).get("q") || "";
      const show = attach(page, document.getElementById("search-results"), document.getElementById("search-said"), SHOWN.page);
      page.focus();
      show();
    }
    const dialog = document.getElementById("pst-search-dialog");
    const field = dialog?.querySelector("input");
    if (!field) return;
    const said = Object.assign(document.createElement("p"), { className: "search-said" });
    said.setAttribute("role", "status");
    const list = Object.assign(document.createElement("ol"), { className: "search-results" });
    dialog.append(said, list);
    field.addEventListener("focus", ready, { once: true });
    attach(field, list, said, SHOWN.dialog);
  });
})();
