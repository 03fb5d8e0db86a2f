/* The list of contents beside a chapter follows the reader: the section that is read is in sight, with what is around it.
   The theme marks it (Bootstrap's scrollspy), but lets it leave the panel. */
document.addEventListener("activate.bs.scrollspy", ({ relatedTarget: link }) => {
  "use strict";
  const AROUND = 72; // pixels: two entries
  const panel = link?.closest(".bd-sidebar-secondary");
  if (!panel) return;
  const [entry, room] = [link, panel].map((one) => one.getBoundingClientRect());
  const [above, below] = [entry.top - room.top - AROUND, entry.bottom - room.bottom + AROUND];
  if (above < 0 || below > 0) panel.scrollBy(0, above < 0 ? above : below); // the panel alone, never the page
});
