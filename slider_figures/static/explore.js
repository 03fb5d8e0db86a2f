// Moves the figures made by slider_figures.explore: unpacks their numbers, puts those of the sliders' positions into the
// figure's SVG, mixed from the nearest stops where a slider stands between two.
const unpack = async (base64) => {
  const packed = await fetch(`data:;base64,${base64}`);
  return new Response(packed.body.pipeThrough(new DecompressionStream("deflate"))).json();
};

// A site may keep a figure's numbers in a file of their own, which is asked for once the page is there: a script, which
// also a page that is opened from its file may load.
const pageIsThere = new Promise((done) => (document.readyState === "complete" ? done() : addEventListener("load", done)));
const numbersOfFigure = async ({ dataset, textContent }) => {
  if (textContent) return textContent;
  await pageIsThere;
  const script = Object.assign(document.createElement("script"), { src: dataset.numbers });
  await new Promise((onload, onerror) => document.head.append(Object.assign(script, { onload, onerror })));
  return script.numbers;
};

// A number travels as its differences from frame to frame.
const summed = (steps) => {
  let sum = 0;
  return steps.map((step) => (sum += step));
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
    const controls = figure.querySelector(".sf-explore-controls");
    if (!controls?.offsetHeight || figure.clientWidth === width) return;
    width = figure.clientWidth;
    figure.style.removeProperty("--sf-controls");
    figure.style.setProperty("--sf-controls", `${controls.offsetHeight}px`);
  }).observe(figure);
};

// The numbers in a text are mixed as the picture is, as logarithms where all are positive; a slider's own value is shown
// exactly, also as a percentage or with the other sign. `parts` are the texts of stops, with their weights, and agree in
// all else (frames.py lets no other slider stand between its stops); `own` has each slider's values at these stops, and
// its value's text.
const NUMBER = /[−-]?\d+(?:,\d{3})*(?:\.\d+)?/g;
const numbersOf = (text) => text.match(NUMBER) ?? [];
const valueOf = (number) => Number(number.replaceAll(",", "").replace("−", "-"));
const decimalsOf = (number) => number.split(".")[1]?.length ?? 0;
const digitsOf = (number) => number.replace(/\D/g, "").replace(/^0+|0+$/g, "").length;
const grouped = (text) => text.replace(/^\d{4,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
// As explore.py writes it: 10,000, 1.5×10⁻⁵.
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const spelled = (value) => {
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size >= 1e-4 && size < 1e6)) return grouped(String(value)).replace("-", "−");
  const [factor, power] = value.toExponential().split("e");
  const raised = [...String(Number(power))].map((sign) => RAISED[sign]).join("");
  return `${factor === "1" ? "" : `${factor.replace("-", "−")}×`}10${raised}`;
};
// Numbers with the same decimals keep them; others, such as 0.98 and 1.1, were written to as many digits as the longest.
const mixedNumber = (value, written) => {
  const decimals = Math.max(...written.map(decimalsOf));
  const fixed = written.every((one) => decimalsOf(one) === decimals);
  const spare = Math.max(...written.map(digitsOf)) - 1 - Math.floor(Math.log10(Math.abs(value)));
  let text = Math.abs(value).toFixed(fixed ? decimals : Math.min(decimals, Math.max(spare, 0)));
  if (!fixed && text.includes(".")) text = text.replace(/\.?0+$/, "");
  if (written.some((one) => one.includes(","))) text = grouped(text);
  return (Number(text) && value < 0 ? "−" : "") + text;
};
const opposite = (text) => (text.startsWith("−") ? text.slice(1) : `−${text}`);
const near = (stop, value) => Math.abs(stop - value) <= 5e-3 * Math.abs(stop);
const mixedText = (nearest, parts, own) => {
  const found = parts.map(([text]) => numbersOf(text));
  let k = 0;
  return nearest.replace(NUMBER, (number) => {
    const all = found.map((one) => one[k]);
    k++;
    if (all.every((one) => one === number)) return number;
    const values = all.map(valueOf);
    const slider = own.find(({ stops }) => stops.every((stop, i) => near(stop, values[i])));
    if (slider) return slider.text;
    const mix = (form) => parts.reduce((sum, [, weight], i) => sum + weight * form(values[i]), 0);
    const value = values.every((one) => one > 0) ? Math.exp(mix(Math.log)) : mix(Number);
    return mixedNumber(value, all);
  });
};

const explore = async (figure) => {
  const find = (name) => figure.querySelector(`.sf-explore-${name}`);
  const [controls, note, frame, said, again] = ["controls", "note", "frame", "said", "again"].map(find);
  const rows = [...figure.querySelectorAll(".sf-explore-row")].map((row) => [...row.querySelectorAll("input")]);

  const showSliders = (possible) => {
    controls.hidden = !possible;
    note.hidden = possible;
  };
  showSliders("DecompressionStream" in window); // at once, so that nothing jumps when the numbers are there
  let data;
  try {
    data = await unpack(await numbersOfFigure(figure.querySelector("script[type='text/plain']")));
  } catch (error) {
    showSliders(false); // the note under the sliders' place says why
    return;
  }
  const numbers = data.groups.map((group) => group.numbers.map(summed));
  let seed = 0;
  let shown; // the group in the page, its elements, and the stop whose texts stand there
  let elements;
  let written; // the attributes' texts
  let chosen; // and those that are chosen

  // A slider of whole numbers stands at one, wherever its handle is.
  const position = ([first, ...rest], i) => {
    if (first.type !== "range") return rest[0].checked ? 1 : 0;
    const at = first.valueAsNumber;
    return Number.isInteger(at) || !data.axes[i].whole ? at : placeAt(i, between(i, at));
  };
  const index = (point) => point.reduce((sum, at, i) => sum * data.sizes[i] + at, 0);

  // The stops around a place on a slider, each with its weight: a cubic through the four nearest (Catmull and Rom
  // 1974); beyond an end the curve goes on as the last three stops do.
  const around = (at, size) => {
    if (Number.isInteger(at)) return [[at, 1]];
    const low = Math.min(Math.floor(at), size - 2);
    const t = at - low;
    if (size < 4) return [[low, 1 - t], [low + 1, t]];
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

  // A slider's value between its stops, to three digits.
  const between = (i, at) => {
    const { values, log, whole } = data.axes[i];
    const low = Math.min(Math.floor(at), values.length - 2);
    const [a, b] = [values[low], values[low + 1]];
    const value = log ? a * (b / a) ** (at - low) : a + (b - a) * (at - low);
    return whole ? Math.round(value) : Number(value.toPrecision(3));
  };
  // Where a slider stands for a value between its ends.
  const placeAt = (i, value) => {
    const { values, log } = data.axes[i];
    const high = Math.max(1, values.findIndex((one) => one >= value));
    const [a, b] = [values[high - 1], values[high]];
    return high - 1 + (log ? Math.log(value / a) / Math.log(b / a) : (value - a) / (b - a));
  };
  const valueText = (i, at) => {
    const stop = Math.round(at);
    if (Math.abs(at - stop) < 0.005 || !data.axes[i]) return data.texts[i][stop];
    return spelled(between(i, at));
  };
  // The value of slider i in a frame.
  const valueAt = (i, frame) => {
    const sizes = data.sizes.slice(i - rows.length); // of this slider and those after it
    return data.axes[i]?.values[Math.floor(frame / sizes.slice(1).reduce((a, b) => a * b, 1)) % sizes[0]];
  };

  const lay = (group) => {
    if (group === shown) return;
    const earlier = [...frame.querySelectorAll(".sf-explore-before")];
    frame.innerHTML = data.groups[group].svg;
    elements = [frame.firstChild, ...frame.firstChild.querySelectorAll("*")];
    frame.querySelector(".sf-explore-sample")?.before(...earlier);
    shown = group;
    written = [];
    chosen = [];
  };

  const draw = () => {
    const places = rows.map(position);
    const exact = [...(again ? [seed] : []), ...places];
    const nearest = index(exact.map(Math.round));
    const group = data.group[nearest];
    const mixed = corners(exact).map(([stops, weight]) => [index(stops), weight]); // of one group (frames.py)
    lay(group);
    const shares = mixed.map(([i, weight]) => [data.place[i], weight]);
    let k = 0;
    for (const [slot, [i, name, gaps]] of data.groups[group].slots.entries()) {
      let text = gaps[0];
      for (let gap = 1; gap < gaps.length; gap++, k++) {
        const values = numbers[group][k];
        const value = shares.reduce((sum, [place, weight]) => sum + weight * values[place], 0);
        text += Math.round(value) / 100 + gaps[gap];
      }
      if (text !== written[slot]) elements[i].setAttribute(name, text); // else it would be laid out and painted again
      written[slot] = text;
    }
    const own = rows.flatMap((_, i) => {
      const stops = mixed.map(([at]) => valueAt(i, at));
      if (new Set(stops).size < 2) return [];
      const text = valueText(i, places[i]);
      const percent = spelled(Number((100 * between(i, places[i])).toPrecision(3)));
      return [[1, text], [-1, opposite(text)], [100, percent], [-100, opposite(percent)]].map(([times, text]) => ({
        stops: stops.map((stop) => times * stop),
        text,
      }));
    });
    const worded = (texts, place) =>
      mixedText(texts[place(nearest)], mixed.map(([at, weight]) => [texts[place(at)], weight]), own);
    data.groups[group].choices.forEach(([i, name, texts], choice) => {
      const text = name ? texts[data.place[nearest]] : worded(texts, (at) => data.place[at]);
      if (text === chosen[choice]) return;
      if (name) elements[i].setAttribute(name, text);
      else write(elements[i], text);
      chosen[choice] = text;
    });
    tell(places, worded(data.alts, (at) => at));
  };

  let pause;
  const tell = (places, words) => {
    rows.forEach(([input], i) => {
      if (input.type !== "range") return;
      const text = valueText(i, places[i]);
      const output = input.parentElement.querySelector("output");
      if (output.textContent === text) return; // else the page would lay it out anew
      input.setAttribute("aria-valuetext", text);
      write(output, text);
    });
    frame.setAttribute("aria-label", words);
    clearTimeout(pause); // a screen reader hears where the slider came to rest, not every step
    pause = setTimeout(() => (said.textContent = words), 500);
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

  const forget = () => frame.querySelectorAll(".sf-explore-before").forEach((mark) => mark.remove());
  // What was drawn before stays under the new marks, faintly.
  const keep = () =>
    frame.querySelectorAll(".sf-explore-sample").forEach((mark) => {
      const copy = mark.cloneNode(true);
      copy.setAttribute("class", "sf-explore-before");
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

  // Where a slider stands for what a link says, or -1.
  const placeOf = (i, text) => {
    const { values } = data.axes[i] ?? { values: data.texts[i] };
    const plain = text.replace("−", "-");
    const stop = values.findIndex((one) => String(one) === plain);
    const value = Number(plain);
    if (stop >= 0 || !data.axes[i] || !text || !(value >= values[0] && value <= values.at(-1))) return stop;
    return placeAt(i, value);
  };
  const settingOf = (inputs, i) => ({
    read: () => {
      const at = position(inputs, i);
      if (!data.axes[i]) return data.texts[i][Math.round(at)];
      return Number.isInteger(at) ? data.axes[i].values[at] : between(i, at);
    },
    put: (text) => {
      const at = placeOf(i, text);
      if (at < 0) return;
      if (inputs[0].type === "range") inputs[0].value = at;
      else inputs[Math.round(at)].checked = true;
      forget();
      drawSoon();
    },
  });
  figure.settings = new Map(rows.map((inputs, i) => [data.names[i], settingOf(inputs, i)]));
  const putSeed = (text) => {
    if (!/^\d{1,4}$/.test(text) || Number(text) >= data.sizes[0]) return;
    seed = Number(text);
    drawSoon();
  };
  if (again) figure.settings.set("seed", { read: () => seed, put: putSeed });
  figure.around = around;
  figure.dataset.ready = "";
  figure.dispatchEvent(new Event("figure-ready", { bubbles: true }));
};

document.querySelectorAll(".sf-explore").forEach(steady);
document.querySelectorAll(".sf-explore:not(.sf-play)").forEach(explore);

// A swipe over the page may start on a slider, and moves it at once; when the page takes the swipe, it goes back.
let before;
document.addEventListener("pointerdown", ({ target }) => (before = target.value));
document.addEventListener("pointercancel", ({ target }) => {
  if (!target.matches(".sf-explore-row input[type=range]")) return;
  target.value = before;
  target.dispatchEvent(new Event("input", { bubbles: true }));
});
