/* Loads MathJax, in parts and without its menu, before the first formula comes into sight. Formulas are made a few at
   a time, aside from the page: meanwhile the page scrolls, sliders move and buttons answer, and it is laid out anew
   only when a batch goes in. */
((address) => {
  "use strict";
  const MILLISECONDS_AT_ONCE = 8;
  const FIRST_BATCH = 24; // about two screens

  const setAll = async () => {
    const sizes = new Map();
    let made = [];
    let pauseAt = performance.now() + MILLISECONDS_AT_ONCE;
    for (const formula of document.querySelectorAll(".math")) {
      const source = [...formula.childNodes].find((node) => /^\s*\\[[(]/.test(node.data));
      const tex = source.data.trim();
      const display = tex.startsWith("\\[");
      const size = display + getComputedStyle(formula).fontSize;
      if (!sizes.has(size)) sizes.set(size, MathJax.getMetricsFor(formula, display));
      made.push([source, await MathJax.tex2chtmlPromise(tex.slice(2, -2), { display, ...sizes.get(size) })]);
      if (performance.now() > pauseAt) {
        await new Promise((resolve) => setTimeout(resolve));
        pauseAt = performance.now() + MILLISECONDS_AT_ONCE;
      }
      if (made.length === FIRST_BATCH) putIn(made.splice(0));
    }
    putIn(made);
    letKeysScroll();
    window.addEventListener("resize", letKeysScroll);
    document.addEventListener("toggle", letKeysScroll, true); // something was unfolded
  };

  const putIn = (made) => {
    made.forEach(([source, formula]) => source.replaceWith(formula));
    MathJax.startup.document.clear();
    MathJax.startup.document.updateDocument(); // its style sheet learns the new characters
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
  const script = document.createElement("script");
  const load = () => {
    if (!script.src) document.head.append(Object.assign(script, { src: address }));
  };

  // One screen ahead of the reader; at once for paper; and, for tools that never scroll, after a while.
  const ahead = new IntersectionObserver(
    (seen, observer) => {
      if (!seen.some((formula) => formula.isIntersecting)) return;
      observer.disconnect();
      load();
    },
    { rootMargin: "100% 0px" }
  );
  document.querySelectorAll(".math").forEach((formula) => ahead.observe(formula));
  window.addEventListener("beforeprint", load);
  setTimeout(load, 10000);
})(document.currentScript.dataset.mathjax);
