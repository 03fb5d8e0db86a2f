/* Paper is white: a page in the dark theme is printed in the light one. And all pictures are on it: Chromium and Firefox
   fetch those that nobody came near, and wait for them, as long as they are lazy. */
(function () {
  "use strict";
  const root = document.documentElement;
  let shown;
  window.addEventListener("beforeprint", () => {
    shown = root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => (root.dataset.theme = shown));
  // Safari prints an empty place for them: there all pictures are fetched once the page is there.
  if (!navigator.vendor.startsWith("Apple")) return;
  window.addEventListener("load", () => {
    document.querySelectorAll("img[loading=lazy]").forEach((image) => image.removeAttribute("loading"));
  });
})();
