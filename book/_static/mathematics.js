/* Loads MathJax, in parts and without its menu, once the text is on the screen, and sets a few formulas at a time:
   meanwhile the page scrolls, sliders move and buttons answer. */
((address) => {
  "use strict";
  const AT_ONCE = 8;

  const setAll = async () => {
    const formulas = [...document.querySelectorAll(".math")];
    while (formulas.length) {
      await MathJax.typesetPromise(formulas.splice(0, AT_ONCE));
      await new Promise((resolve) => setTimeout(resolve));
    }
  };

  Object.assign(window.MathJax, {
    loader: { load: ["core", "input/tex", "output/chtml", "a11y/assistive-mml"] },
    startup: { pageReady: setAll },
  });
  requestAnimationFrame(() =>
    setTimeout(() => document.head.append(Object.assign(document.createElement("script"), { src: address })))
  );
})(document.currentScript.dataset.mathjax);
