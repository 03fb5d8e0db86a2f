/* A long page is laid out in pieces, so that it answers a reader from the start: book.css has the browser leave out what
   is below the first section until somebody comes near, and here the rest is brought in while nothing else is to do. */
(() => {
  "use strict";
  const LEAST = 2; // blocks that are laid out at once on a slow phone; each time costs, so a fast machine takes more
  const SLICE = 8; // milliseconds after which a touch or a key is heard
  const soon = window.requestIdleCallback ?? setTimeout;

  addEventListener("load", () => {
    const blocks = [...document.querySelectorAll("[data-fills] .bd-article section > :not(section)")];
    let size = LEAST;
    const fill = () => {
      const start = performance.now();
      for (let now = start; blocks.length && now - start < SLICE; ) {
        const piece = blocks.splice(0, size);
        piece.forEach((block) => block.classList.add("filled"));
        void piece[0].offsetHeight; // lays them out now, and not all of them together later
        const before = now;
        now = performance.now();
        size = now - before < SLICE ? 2 * size : LEAST;
      }
      if (blocks.length) soon(fill);
      else document.body.dataset.filled = "";
    };
    soon(fill);
  });
})();
