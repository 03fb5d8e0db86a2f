/* A road through the book (tools/book_site/roads.py): its stops can be ticked, and progress.js remembers them. */
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  for (const road of document.querySelectorAll(".road")) {
    const stops = [...road.querySelectorAll("[data-stop]")].map((time) => {
      const tick = Object.assign(document.createElement("input"), { type: "checkbox", ariaLabel: `Done: ${time.parentElement.textContent.trim()}` });
      tick.addEventListener("change", () => progress[tick.checked ? "add" : "drop"](time.dataset.stop));
      time.parentElement.prepend(tick, " ");
      return { id: time.dataset.stop, minutes: parseInt(time.textContent), tick };
    });
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    road.nextElementSibling.append(" ", said);
    const show = () => {
      for (const stop of stops) stop.tick.checked = progress.count([stop.id]) > 0;
      const left = stops.filter((stop) => !stop.tick.checked).reduce((sum, stop) => sum + stop.minutes, 0);
      const isBegun = stops.some((stop) => stop.tick.checked);
      said.textContent = !isBegun ? "Tick what you have done; only this browser remembers it." : left ? `${left} are left.` : "You are through.";
    };
    document.addEventListener("progress", show);
    show();
  }
});
