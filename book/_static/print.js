/* Paper is white: a page in the dark theme is printed in the light one. And all pictures are on
   it: Chromium and Firefox fetch by themselves those that nobody came near; Safari is told to. */
(function () {
  "use strict";
  const root = document.documentElement;
  let shown;
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("img[loading=lazy]").forEach((image) => image.removeAttribute("loading"));
    shown = root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => (root.dataset.theme = shown));
})();
