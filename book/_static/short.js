/* The short edition of a chapter (tools/book_site/short.py, doors.css): a switch at its top, the key s, ?short in the address,
   remembered for all chapters. What is below the seam folds, and opens for who asks for it or follows a link into it. */
(() => {
  "use strict";
  const { dataset } = document.documentElement; // layout.html has read edition from the address, or from what is remembered
  const seam = document.querySelector(".seam");
  if (!seam) return;
  const switches = [...document.querySelectorAll(".edition button")];
  const fold = document.querySelector(".rest button");
  const isBelow = (one) => Boolean(seam.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const isFolded = () => dataset.edition === "short" && dataset.rest === undefined;

  function show() {
    for (const one of switches) one.ariaPressed = String(one.dataset.edition === dataset.edition);
    fold.ariaExpanded = String(!isFolded());
    const { pathname, hash } = location;
    history.replaceState(history.state, "", `${pathname}${dataset.edition === "short" ? "?short" : ""}${hash}`);
  }

  function choose(edition) {
    dataset.edition = edition;
    delete dataset.rest;
    localStorage.setItem("sliding-epsilon-edition", edition);
    show();
    if (isFolded() && seam.getBoundingClientRect().bottom < 0) seam.scrollIntoView({ block: "center", behavior: "instant" });
  }

  function open(place) {
    if (!place || !isFolded() || !isBelow(place)) return false;
    dataset.rest = "";
    show();
    return true;
  }
  const named = (hash) => document.getElementById(decodeURIComponent(hash.slice(1).split("?")[0]));
  const follow = () => open(named(location.hash)) && named(location.hash).scrollIntoView({ behavior: "instant" });

  for (const one of switches) one.addEventListener("click", () => choose(one.dataset.edition));
  fold.addEventListener("click", () => {
    if (isFolded()) dataset.rest = "";
    else delete dataset.rest;
    show();
  });
  addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey, target }) => {
    const typing = target.closest?.("input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable], .CodeMirror");
    if (key !== "s" || ctrlKey || metaKey || altKey || typing || document.body.matches(".presenting")) return;
    choose(dataset.edition === "short" ? "whole" : "short");
  });
  // Before the browser goes there: it can't scroll to what isn't laid out.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.("a[href*='#']");
    if (link?.pathname === location.pathname) open(named(link.hash));
  }, { capture: true });
  addEventListener("hashchange", follow);
  for (const link of document.querySelectorAll(".bd-sidebar-secondary a[href^='#']"))
    if (named(link.hash) && isBelow(named(link.hash))) link.dataset.belowSeam = "";
  show();
  follow();
})();
