/* The list of contents beside a chapter follows the reader: the section that is read, which the theme marks, is in sight,
   with what is around it. */
(() => {
  "use strict";
  const AROUND = 72; // pixels: two entries
  const panel = document.querySelector(".bd-sidebar-secondary");
  if (!panel) return;

  function follow() {
    const link = [...panel.querySelectorAll(".nav-link.active")].at(-1);
    if (!link) return;
    const [entry, room] = [link, panel].map((one) => one.getBoundingClientRect());
    const [above, below] = [entry.top - room.top - AROUND, entry.bottom - room.bottom + AROUND];
    if (above < 0 || below > 0) panel.scrollBy(0, above < 0 ? above : below); // the panel alone, never the page
  }
  new MutationObserver(follow).observe(panel, { subtree: true, attributeFilter: ["class"] });
})();
