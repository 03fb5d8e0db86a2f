/* A long page is laid out in pieces, so that it answers a reader from the start: book.css has the browser leave out what
   is below the first section until somebody comes near, and here the rest is brought in while nothing else is to do. */
(() => {
  "use strict";
  const PIECE = 2; // blocks that are laid out at once
  const SLICE = 8; // milliseconds after which a touch or a key is heard
  const soon = window.requestIdleCallback ?? setTimeout;

  addEventListener("load", () => {
    const blocks = [...document.querySelectorAll("[data-fills] .bd-article section > :not(section)")];
    const fill = () => {
      const start = performance.now();
      while (blocks.length && performance.now() - start < SLICE) {
        const piece = blocks.splice(0, PIECE);
        piece.forEach((block) => block.classList.add("filled"));
        void piece[0].offsetHeight; // lays them out now, and not all of them together later
      }
      if (blocks.length) soon(fill);
      else document.body.dataset.filled = "";
    };
    soon(fill);
  });
})();
