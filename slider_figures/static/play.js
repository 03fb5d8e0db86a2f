/* Figures that the page computes itself (slider_figures.play): what they share.  Each has a script of its own,
   play-<name>.js, that calls play.register(name, build); build gets the figure's stage, its data and a generator of
   random numbers.  Without scripts the still picture stands. */
window.play = (function () {
  "use strict";
  const here = document.currentScript.src;
  const builders = {};

  // SplitMix32: a seed gives the same numbers again, for tests (?seed=7); else each visit has its own.
  function generator(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return (((z ^ (z >>> 16)) >>> 0) + 0.5) / 2 ** 32; // never 0 or 1
    };
  }

  const laplace = (random, scale) => {
    const u = random() - 0.5;
    return -scale * Math.sign(u) * Math.log1p(-2 * Math.abs(u));
  };
  const coin = (random, chance = 0.5) => random() < chance;

  const linear = ([low, high], [start, end]) => {
    const to = (value) => start + ((value - low) / (high - low)) * (end - start);
    to.back = (place) => low + ((place - start) / (end - start)) * (high - low);
    return to;
  };

  // Other letters in the same text: a new text would have the page ask all its style rules again (explore.js).
  const write = (element, text) => {
    if (!element.firstChild) element.textContent = text;
    else if (element.firstChild.data !== String(text)) element.firstChild.data = text; // else it would be laid out anew
  };

  const SVG = "http://www.w3.org/2000/svg";
  function draw(tag, attributes, parent) {
    const made = document.createElementNS(SVG, tag);
    set(made, attributes);
    parent?.append(made);
    return made;
  }
  function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") {
        write(element, value);
        continue;
      }
      const text = String(typeof value === "number" ? Math.round(value * 100) / 100 : value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text); // else it would be painted anew
    }
  }
  function make(tag, properties, parent) {
    const made = Object.assign(document.createElement(tag), properties);
    parent?.append(made);
    return made;
  }

  // A sentence that changes with the figure, after some words that don't; its longest form keeps it the room, so that
  // nothing below it jumps.
  function sentence(parent, longest, { head = "", status = true } = {}) {
    const line = make("p", { className: "sf-play-told" }, parent);
    line.dataset.room = head + longest;
    const said = make("span", {}, line);
    if (head) make("strong", { textContent: head }, said);
    const words = make("span", {}, said);
    if (status) said.setAttribute("role", "status");
    return (text) => write(words, text);
  }

  const button = (parent, words, act) => {
    const made = make("button", { type: "button", className: "sf-explore-again", textContent: words }, parent);
    made.addEventListener("click", act);
    return made;
  };

  // A slider over positive numbers, logarithmic; format makes the text that is read and heard, ends say what its ends are,
  // name what a link calls it.
  function slider(parent, { name, label, low, high, start, digits = 3, format, ends = [], act }) {
    const row = make("div", { className: "sf-explore-row" }, parent);
    const id = `play-${label.replace(/\W+/g, "-")}-${document.querySelectorAll("input").length}`;
    make("label", { htmlFor: id, textContent: label }, row);
    if (label.length > 12) parent.classList.add("sf-explore-wide"); // on a phone the slider goes below its label
    const input = make("input", { type: "range", id, min: 0, max: 1000, step: 1, autocomplete: "off" }, row);
    const output = make("output", { htmlFor: id }, row);
    output.setAttribute("aria-live", "off"); // the slider itself says its value
    output.style.minWidth = `${Math.max(format(low).length, format(high).length)}ch`; // the slider keeps its length
    if (ends.length) {
      const names = make("div", { className: "sf-play-ends" }, row);
      ends.forEach((text) => make("span", { textContent: text }, names));
    }
    const value = () => Number((low * (high / low) ** (input.valueAsNumber / 1000)).toPrecision(digits));
    const tell = () => {
      write(output, format(value()));
      input.setAttribute("aria-valuetext", format(value()));
    };
    const put = (number) => {
      input.value = Math.round((1000 * Math.log(number / low)) / Math.log(high / low));
      tell();
    };
    put(start);
    const follow = (text) => {
      if (!(Number(text) >= low && Number(text) <= high)) return;
      put(Number(text));
      act();
    };
    parent.closest(".sf-play").settings.set(name, { read: value, put: follow });
    // An arrow key moves a fiftieth of the way, or as far as it takes to see another value.
    input.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      const before = format(value());
      let at = input.valueAsNumber;
      do input.value = at += 20 * way;
      while (format(value()) === before && at > 0 && at < 1000);
      for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
    });
    let waiting = false;
    input.addEventListener("input", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        tell();
        act();
      });
    });
    return { value, put };
  }

  // A dot is a line of no length with a round end: many of one colour are one path.
  const dots = (parent, radius, colour, opacity = 1) =>
    draw("path", { fill: "none", stroke: colour, "stroke-width": 2 * radius, "stroke-linecap": "round", "stroke-opacity": opacity }, parent);
  const at = (x, y) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`;

  const axis = (parent, to, ticks, { y, format = (value) => String(value).replace("-", "−"), label }) => {
    const [first, last] = [to(ticks[0]), to(ticks.at(-1))];
    draw("line", { x1: first, x2: last, y1: y, y2: y, stroke: "currentColor" }, parent);
    for (const tick of ticks) {
      draw("line", { x1: to(tick), x2: to(tick), y1: y, y2: y + 4, stroke: "currentColor" }, parent);
      draw("text", { x: to(tick), y: y + 18, "text-anchor": "middle", text: format(tick) }, parent);
    }
    draw("text", { x: (first + last) / 2, y: y + 36, "text-anchor": "middle", text: label }, parent);
  };

  function build(figure) {
    const still = figure.querySelector(".sf-play-still");
    const data = JSON.parse(figure.querySelector("script").textContent);
    const seed = new URLSearchParams(location.search).get("seed");
    const stage = make("div", { className: "sf-play-stage" });
    still.before(stage);
    still.hidden = true;
    const said = make("p", { className: "sf-explore-said" });
    said.setAttribute("aria-live", "polite");
    stage.after(said);
    const random = generator(seed === null ? crypto.getRandomValues(new Uint32Array(1))[0] : Number(seed));
    figure.settings = new Map();
    figure.play = builders[figure.dataset.play](stage, data, random, (words) => (said.textContent = words));
    figure.dataset.ready = "";
    figure.dispatchEvent(new Event("figure-ready", { bubbles: true }));
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const name of new Set([...document.querySelectorAll(".sf-play")].map((figure) => figure.dataset.play))) {
      const script = make("script", { src: new URL(`play-${name}.js`, here) });
      script.addEventListener("load", () => document.querySelectorAll(`[data-play="${name}"]`).forEach(build));
      document.head.append(script);
    }
  });

  return {
    register: (name, builder) => (builders[name] = builder),
    generator, laplace, coin, linear, draw, set, make, sentence, button, slider, dots, at, axis,
    BLUE: "#2A7FBF", ORANGE: "#D55E00", GREY: "#757575",
  };
})();
