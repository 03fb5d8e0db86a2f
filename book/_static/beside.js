/* A figure that stands beside its text (the tag `beside`, book.css): the list of contents gives way to it, and a link in
   the text, #fig-name?epsilon=0.1, moves its sliders without leaving the sentence. */
(() => {
  "use strict";
  const wide = matchMedia("(min-width: 1200px)"); // as in book.css
  const seen = new Set();
  const giveWay = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) seen[isIntersecting ? "add" : "delete"](target);
    document.body.classList.toggle("figure-beside", seen.size > 0);
  });
  document.querySelectorAll(".bd-article section:has(> .tag_beside)").forEach((section) => giveWay.observe(section));

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.slide");
    if (!link) return;
    const [id, asked] = link.hash.slice(1).split("?");
    const figure = document.getElementById(id);
    const beside = wide.matches && figure?.closest(".tag_beside");
    if (!figure || (!beside && location.hash !== link.hash)) return; // the browser goes there, and links.js moves it
    event.preventDefault();
    for (const [name, text] of new URLSearchParams(asked)) figure.settings?.get(name)?.put(text);
    if (!beside) figure.scrollIntoView();
  });
})();
