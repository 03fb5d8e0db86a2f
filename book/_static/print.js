/* Paper is white: a page in the dark theme is printed in the light one. */
(function () {
  "use strict";
  const root = document.documentElement;
  let shown;
  window.addEventListener("beforeprint", () => {
    shown = root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => (root.dataset.theme = shown));
})();
