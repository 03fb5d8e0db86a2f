/* Loads MathJax, in parts and without its menu, once the text is on the screen, and sets a few formulas at a time:
   meanwhile the page scrolls, sliders move and buttons answer. */
((address) => {
  "use strict";
  const AT_ONCE = 4;

  const setAll = async () => {
    const formulas = [...document.querySelectorAll(".math")];
    while (formulas.length) {
      await MathJax.typesetPromise(formulas.splice(0, AT_ONCE));
      await new Promise((resolve) => setTimeout(resolve));
    }
    letKeysScroll();
    window.addEventListener("resize", letKeysScroll);
    document.addEventListener("toggle", letKeysScroll, true); // something was unfolded
  };

  // A formula wider than its column scrolls; the keyboard must reach it.
  const letKeysScroll = () => {
    const displayed = [...document.querySelectorAll("mjx-container[display]")];
    const wide = displayed.map((formula) => formula.scrollWidth > formula.clientWidth);
    displayed.forEach((formula, i) => (wide[i] ? (formula.tabIndex = 0) : formula.removeAttribute("tabindex")));
  };

  Object.assign(window.MathJax, {
    loader: { load: ["core", "input/tex", "output/chtml", "a11y/assistive-mml"] },
    startup: { pageReady: setAll },
  });
  requestAnimationFrame(() =>
    setTimeout(() => document.head.append(Object.assign(document.createElement("script"), { src: address })))
  );
})(document.currentScript.dataset.mathjax);
