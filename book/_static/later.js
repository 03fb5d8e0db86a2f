/* What is loaded when somebody asks for it: the words that explain themselves (words.js), once a reader stirs; and what
   presents a chapter (present.js, present.css), by a button and a key. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const loaded = (tag, properties) =>
    new Promise((done) => document.head.append(Object.assign(document.createElement(tag), properties, { onload: done, onerror: done })));
  const file = (name) => new URL(name, here);

  let asked;
  let there = false;
  const stir = () => (asked ??= loaded("script", { src: file("words.js") }).then(() => (there = true)));
  // A first tap on a word waits for what explains it.
  function wait(event) {
    const link = event.target.closest?.(".bd-article a.reference.internal[href*='#']:not(.slide)");
    if (there || !link || root.stirred !== "touchstart") return;
    event.preventDefault();
    stir().then(() => link.click());
  }
  addEventListener("click", wait, { capture: true });
  const root = document.documentElement.dataset;
  for (const kind of ["pointermove", "touchstart", "focusin"]) {
    const stirred = () => {
      root.stirred ??= kind;
      stir();
    };
    addEventListener(kind, stirred, { once: true, passive: true });
  }

  if (!document.querySelector(".bd-article .chapter-question")) return;
  async function present() {
    if (!window.present) {
      await loaded("link", { rel: "stylesheet", href: file("present.css") });
      await loaded("script", { src: file("present.js") });
    }
    window.present.start();
  }
  const name = "Present this chapter (p)";
  const button = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-sm present-button", title: name, ariaLabel: name });
  button.addEventListener("click", present);
  document.querySelector(".article-header-buttons")?.prepend(button);
  addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey, target }) => {
    const typing = target.closest?.("input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable], .CodeMirror");
    if (key === "p" && !(ctrlKey || metaKey || altKey || typing || document.body.matches(".presenting"))) present();
  });
})();
