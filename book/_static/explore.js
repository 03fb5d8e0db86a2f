// Moves the figures made by dp_helpers.explore: unpacks their numbers, puts those of the sliders' positions into the
// figure's SVG, mixed from the nearest stops where a slider stands between two.
const unpack = async (base64) => {
  const packed = await fetch(`data:;base64,${base64}`);
  return new Response(packed.body.pipeThrough(new DecompressionStream("deflate"))).json();
};

// A group's numbers travel as differences from frame to frame.
const summed = (steps) => {
  for (let i = 1; i < steps.length; i++) steps[i].forEach((step, k) => (steps[i][k] = step + steps[i - 1][k]));
  return steps;
};

// Other letters in the same text: the page needs less for that than for another text.
const write = (element, text) => {
  if (element.firstChild) element.firstChild.data = text;
  else element.textContent = text;
};

// How much of the window the sliders leave to the picture: explore.css, which holds them to that height, so that a
// slider that moves doesn't have the page laid out anew.
const steady = (figure) => {
  let width;
  new ResizeObserver(() => {
    const controls = figure.querySelector(".dp-explore-controls");
    if (!controls?.offsetHeight || figure.clientWidth === width) return;
    width = figure.clientWidth;
    figure.style.removeProperty("--dp-controls");
    figure.style.setProperty("--dp-controls", `${controls.offsetHeight}px`);
  }).observe(figure);
};

const explore = async (figure) => {
  const find = (name) => figure.querySelector(`.dp-explore-${name}`);
  const [controls, note, frame, said, again] = ["controls", "note", "frame", "said", "again"].map(find);
  const rows = [...figure.querySelectorAll(".dp-explore-row")].map((row) => [...row.querySelectorAll("input")]);

  const showSliders = (possible) => {
    controls.hidden = !possible;
    note.hidden = possible;
  };
  showSliders("DecompressionStream" in window); // at once, so that nothing jumps when the numbers are there
  let data;
  try {
    data = await unpack(figure.querySelector("script[type='text/plain']").textContent);
  } catch (error) {
    showSliders(false); // the note under the sliders' place says why
    return;
  }
  const numbers = data.groups.map((group) => summed(group.numbers));
  let seed = 0;
  let shown; // the group in the page, its elements, and the stop whose texts stand there
  let elements;
  let written; // the attributes' texts
  let named;

  const position = ([first, ...rest]) => (first.type === "range" ? first.valueAsNumber : rest[0].checked ? 1 : 0);
  const index = (point) => point.reduce((sum, at, i) => sum * data.sizes[i] + at, 0);

  // The stops around a place on a slider, each with its weight: a cubic through the four nearest (Catmull and Rom
  // 1974); beyond an end the curve goes on as the last three stops do.
  const around = (at, size) => {
    const low = Math.min(Math.floor(at), size - 2);
    const t = at - low;
    if (!t || size < 4) return t ? [[low, 1 - t], [low + 1, t]] : [[low, 1]];
    let weights = [
      [low - 1, (-t + 2 * t * t - t ** 3) / 2],
      [low, (2 - 5 * t * t + 3 * t ** 3) / 2],
      [low + 1, (t + 4 * t * t - 3 * t ** 3) / 2],
      [low + 2, (t ** 3 - t * t) / 2],
    ];
    const beyond = (end, way) => {
      const spare = weights.find(([stop]) => stop === end - way)?.[1];
      if (spare === undefined) return;
      const share = new Map(weights.filter(([stop]) => stop !== end - way));
      [3, -3, 1].forEach((factor, k) => share.set(end + k * way, (share.get(end + k * way) ?? 0) + factor * spare));
      weights = [...share];
    };
    beyond(0, 1);
    beyond(size - 1, -1);
    return weights;
  };
  const corners = (point) =>
    point.reduce(
      (found, at, i) =>
        found.flatMap(([stops, weight]) =>
          around(at, data.sizes[i]).map(([stop, share]) => [[...stops, stop], weight * share]),
        ),
      [[[], 1]],
    );

  const lay = (group) => {
    if (group === shown) return;
    const earlier = [...frame.querySelectorAll(".dp-explore-before")];
    frame.innerHTML = data.groups[group].svg;
    elements = [frame.firstChild, ...frame.firstChild.querySelectorAll("*")];
    frame.querySelector(".dp-explore-sample")?.before(...earlier);
    shown = group;
    written = [];
    named = undefined;
  };

  const draw = () => {
    const places = rows.map(position);
    const exact = [...(again ? [seed] : []), ...places];
    const nearest = index(exact.map(Math.round));
    const group = data.group[nearest];
    let mixed = corners(exact).map(([stops, weight]) => [index(stops), weight]);
    if (mixed.some(([i]) => data.group[i] !== group)) mixed = [[nearest, 1]];
    lay(group);
    const rowsOf = mixed.map(([i, weight]) => [numbers[group][data.place[i]], weight]);
    let k = 0;
    for (const [slot, [i, name, gaps]] of data.groups[group].slots.entries()) {
      let text = gaps[0];
      for (let gap = 1; gap < gaps.length; gap++, k++) {
        const value = rowsOf.reduce((sum, [row, weight]) => sum + weight * row[k], 0);
        text += Math.round(value) / 100 + gaps[gap];
      }
      if (text !== written[slot]) elements[i].setAttribute(name, text); // else it would be laid out and painted again
      written[slot] = text;
    }
    if (nearest !== named) {
      for (const [i, name, texts] of data.groups[group].choices) {
        const text = texts[data.place[nearest]];
        if (name) elements[i].setAttribute(name, text);
        else write(elements[i], text);
      }
      frame.setAttribute("aria-label", data.alts[nearest]);
      named = nearest;
    }
    tell(places, nearest);
  };

  let pause;
  const tell = (places, nearest) => {
    rows.forEach(([input], i) => {
      if (input.type !== "range") return;
      const stop = Math.round(places[i]);
      const text = (Math.abs(places[i] - stop) < 0.005 ? "" : "≈ ") + data.texts[i][stop];
      const output = input.parentElement.querySelector("output");
      if (output.textContent === text) return; // else the page would lay it out anew
      input.setAttribute("aria-valuetext", text.replace("≈ ", "near "));
      write(output, text);
    });
    clearTimeout(pause); // a screen reader hears where the slider came to rest, not every step
    pause = setTimeout(() => (said.textContent = data.alts[nearest]), 500);
  };

  let waiting = false;
  const drawSoon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };

  // Taking hold of a slider draws fresh noise, which then scales as the slider moves: noise is no fixed offset.
  let taken = false;
  const nextDraw = () => (seed = (seed + 1) % data.sizes[0]);
  for (const hold of ["pointerdown", "keydown"]) {
    controls.addEventListener(hold, ({ repeat }) => (taken ||= again && !repeat), { capture: true });
  }

  const forget = () => frame.querySelectorAll(".dp-explore-before").forEach((mark) => mark.remove());
  // What was drawn before stays under the new marks, faintly.
  const keep = () =>
    frame.querySelectorAll(".dp-explore-sample").forEach((mark) => {
      const copy = mark.cloneNode(true);
      copy.setAttribute("class", "dp-explore-before");
      mark.before(copy);
    });

  // An arrow key goes to the next stop, whose picture is computed.
  const step = (event) => {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way || event.target.type !== "range") return;
    event.preventDefault();
    const at = event.target.valueAsNumber;
    event.target.value = way > 0 ? Math.floor(at + 1.001) : Math.ceil(at - 1.001);
    event.target.dispatchEvent(new Event("input", { bubbles: true }));
  };

  for (const input of rows.flat()) {
    input.disabled = false;
    input.addEventListener("input", () => {
      if (taken) nextDraw();
      taken = false;
      forget();
      drawSoon();
    });
    input.addEventListener("keydown", step);
  }
  again?.addEventListener("click", () => {
    if (seed === data.sizes[0] - 1) forget();
    else keep();
    nextDraw();
    drawSoon();
  });
  figure.around = around;
  figure.dataset.ready = "";
};

document.querySelectorAll(".dp-explore").forEach(steady);
document.querySelectorAll(".dp-explore:not(.dp-play)").forEach(explore);

// A swipe over the page may start on a slider, and moves it at once; when the page takes the swipe, it goes back.
let before;
document.addEventListener("pointerdown", ({ target }) => (before = target.value));
document.addEventListener("pointercancel", ({ target }) => {
  if (!target.matches(".dp-explore-row input[type=range]")) return;
  target.value = before;
  target.dispatchEvent(new Event("input", { bubbles: true }));
});
