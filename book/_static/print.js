/* Paper is white: a page in the dark theme is printed in the light one. And all pictures are on it. */
(function () {
  "use strict";
  const root = document.documentElement;
  let shown;
  window.addEventListener("beforeprint", () => {
    shown = root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => (root.dataset.theme = shown));
  // Once the page is there, pictures stop waiting for a reader to come near: one who prints may never scroll.
  window.addEventListener("load", () => {
    document.querySelectorAll("img[loading=lazy]").forEach((image) => image.removeAttribute("loading"));
  });
})();
