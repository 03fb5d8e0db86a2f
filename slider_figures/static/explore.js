// Moves the figures made by slider_figures.explore: unpacks their numbers, puts those of the sliders' positions into the
// figure's SVG, mixed from the nearest stops where a slider stands between two.
const unpack = async (base64) => {
  const packed = await fetch(`data:;base64,${base64}`);
  return new Response(packed.body.pipeThrough(new DecompressionStream("deflate"))).json();
};

// A site may keep a figure's numbers in a file of their own, which is asked for once the page is there and a reader comes
// near, or something sends the figure "figure-wanted": a script, which also a page that is opened from its file may load.
const pageIsThere = new Promise((done) => (document.readyState === "complete" ? done() : addEventListener("load", done)));
const readerNear = (figure) =>
  new Promise((done) => {
    figure.addEventListener("figure-wanted", done, { once: true });
    const watch = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && done(watch.disconnect()), { rootMargin: "150% 0px" });
    watch.observe(figure);
  });
const numbersOfFigure = async (figure) => {
  const { dataset, textContent } = figure.querySelector("script[type='text/plain']");
  if (textContent) return textContent;
  await pageIsThere;
  await readerNear(figure);
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

// Makes what is in an element like what is in another one, of what is there already: where an element comes or goes, the
// browser looks for all on the page whose style may depend on it.
const redraw = (element, other) => {
  if (!other.firstElementChild && element.textContent !== other.textContent) write(element, other.textContent);
  const old = [...element.children];
  const wanted = [...other.children];
  old.slice(wanted.length).forEach((child) => child.remove());
  wanted.forEach((child, i) => {
    const there = old[i];
    if (!there) return element.append(child);
    if (there.localName !== child.localName || !there.firstElementChild !== !child.firstElementChild) return there.replaceWith(child);
    for (const name of there.getAttributeNames()) if (!child.hasAttribute(name)) there.removeAttribute(name);
    for (const { name, value } of child.attributes) if (there.getAttribute(name) !== value) there.setAttribute(name, value);
    redraw(there, child);
  });
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

// A slider's own value is put into a text, also as a percentage or with the other sign. `parts` are the texts of stops
// and agree in all else (frames.py lets no slider stand between stops where they don't); `own` has each slider's values at
// these stops, and its value's text.
const NUMBER = /[−-]?\d+(?:,\d{3})*(?:\.\d+)?/g;
const numbersOf = (text) => text.match(NUMBER) ?? [];
const valueOf = (number) => Number(number.replaceAll(",", "").replace("−", "-"));
const grouped = (text) => text.replace(/^\d{4,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
// As explore.py writes it: 10,000, 1.5×10⁻⁵.
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const timesPower = (factor, power) => {
  const raised = [...String(Number(power))].map((sign) => RAISED[sign]).join("");
  return `${factor === "1" ? "" : `${factor.replace("-", "−")}×`}10${raised}`;
};
const spelled = (value) => {
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size >= 1e-4 && size < 1e6)) return grouped(String(value)).replace("-", "−");
  return timesPower(...value.toExponential().split("e"));
};
const opposite = (text) => (text.startsWith("−") ? text.slice(1) : `−${text}`);
const near = (stop, value) => Math.abs(stop - value) <= 5e-3 * Math.abs(stop);
const withOwn = (nearest, parts, own) => {
  const found = parts.map(numbersOf);
  let k = -1;
  return nearest.replace(NUMBER, (number) => {
    k++;
    if (found.every((one) => one[k] === number)) return number;
    return own.find(({ stops }) => stops.every((stop, i) => near(stop, valueOf(found[i][k]))))?.text ?? number;
  });
};

// Words that are computed: words.py makes these trees, and says what may be in them; a test holds both equal.
const half = (number, decimals) => {
  // Python rounds what is exactly half-way to the even digit.
  const tie = /^50*$/.test(number.toFixed(decimals + 30).slice(-30));
  const text = number.toFixed(decimals);
  if (!tie || Number(text.at(-1)) % 2 === 0) return text;
  return (Number(text) - 10 ** -decimals).toFixed(decimals);
};
const general = (number, digits) => {
  if (number === 0) return "0";
  const [factor, power] = number.toExponential(digits - 1).split("e");
  const plain = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power >= -4 && power < digits) return plain(half(number, digits - 1 - power));
  return plain(factor) + exponent(power);
};
const exponent = (power) => `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
const formatted = (value, form) => {
  if (typeof value === "string") return value;
  const [, plus, comma, digits, kind] = /^(\+?)(,?)(?:\.(\d+))?([fgde%]?)$/.exec(form);
  const size = Math.abs(kind === "%" ? 100 * value : value);
  const decimals = Number(digits ?? 6);
  let text;
  if (kind === "d") text = String(size);
  else if (kind === "g" || !kind) text = general(size, kind ? Math.max(decimals, 1) : 12);
  else if (kind === "e") text = size.toExponential(decimals).replace(/e(.*)/, (_, power) => exponent(Number(power)));
  else text = half(size, decimals) + (kind === "%" ? "%" : "");
  return (value < 0 || Object.is(value, -0) ? "-" : plus) + (comma ? grouped(text) : text);
};
// Φ: of a small number by its series, of a large one by its continued fraction.
const Phi = (x) => {
  if (x > 0) return 1 - Phi(-x);
  let sum = 0;
  if (x > -3) {
    for (let k = 1, term = -x; term > 1e-18; k += 2) sum += ((term *= k > 1 ? (x * x) / k : 1), term);
    return 0.5 - (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
  }
  for (let k = 200; k > 0; k--) sum = k / (sum - x);
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / (sum - x);
};
const OPERATIONS = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "**": (a, b) => a ** b,
  "%": (a, b) => (a % b && a < 0 !== b < 0 ? (a % b) + b : a % b), "==": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b,
  "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
};
const evaluate = (tree, known) => {
  if (typeof tree === "string") return known[tree];
  if (!Array.isArray(tree)) return tree;
  const [what, ...parts] = tree;
  const value = (part) => evaluate(part, known);
  if (what === "text") return parts[0];
  if (what === "join") return parts.map(value).join("");
  if (what === "format") return formatted(value(parts[0]), parts[1]);
  if (what === "if") return value(value(parts[0]) ? parts[1] : parts[2]);
  if (what === "call") return (parts[0] === "Phi" ? Phi : Math[parts[0]])(...parts.slice(1).map(value));
  return OPERATIONS[what](...parts.map(value));
};
// The nearest stops, each with its weight in the polynomial through them, wherever they are: a cubic through four; of
// fewer the straight line.
const nearest = (line, place, count = 4) => {
  const stop = line.indexOf(place);
  if (stop >= 0) return [[stop, 1]];
  const high = line.findIndex((one) => one > place);
  const low = high < 0 ? line.length - 2 : Math.max(high - 1, 0);
  const few = line.length < count;
  const first = few ? low : Math.min(Math.max(low + 1 - count / 2, 0), line.length - count);
  const stops = Array.from({ length: few ? 2 : count }, (_, k) => first + k);
  const weight = (k) => stops.reduce((all, j) => (j === k ? all : (all * (place - line[j])) / (line[k] - line[j])), 1);
  return stops.map((k) => [k, weight(k)]);
};
// What a function is at the sliders' values: in its table, or mixed from the values around, or what it was at the last
// place before, where it is the same up to the next.
const lookUp = ({ axes, values }, known) => {
  const around = ([name, places, way]) => {
    const value = known[name];
    const exact = places.indexOf(value);
    if (exact >= 0) return [[exact, 1]];
    if (way === "last") return [[places.findLastIndex((one) => one < value), 1]];
    const line = way === "log" ? Math.log : Number;
    return nearest(places.map(line), line(value), 8);
  };
  const parts = axes.reduce(
    (found, axis) => found.flatMap(([i, all]) => around(axis).map(([k, one]) => [i * axis[1].length + k, all * one])),
    [[0, 1]],
  );
  return parts.length > 1 ? parts.reduce((sum, [i, weight]) => sum + weight * values[i], 0) : values[parts[0][0]];
};
// A sentence's numbers as words.py writes them: −0.7 for -0.7, 10⁻⁵ for 1e-05.
const readable = (sentence) =>
  sentence
    .replace(/(?<![\w.])(\d+(?:\.\d+)?)e([+-]\d+)\b/g, (_, factor, power) => timesPower(factor, power))
    .replace(/(?<![\w.,)])-(?=\d)/g, "−");

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
    data = await unpack(await numbersOfFigure(figure));
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

  // A slider stands at the value that is read beside it, wherever its handle is.
  const position = ([first, ...rest], i) => {
    if (first.type !== "range") return rest[0].checked ? 1 : 0;
    const at = first.valueAsNumber;
    const stop = Math.round(at);
    return Math.abs(at - stop) < 0.005 ? stop : placeAt(i, between(i, at));
  };
  const index = (point) => point.reduce((sum, at, i) => sum * data.sizes[i] + at, 0);

  // The stops around a place on slider i, each with its weight; what isn't mixed always stands on one.
  const ways = data.axes.map((axis) => (axis?.mixedByLog ? Math.log : Number));
  const around = (i, at) => {
    if (Number.isInteger(at)) return [[at, 1]];
    return nearest(data.axes[i].values.map(ways[i]), ways[i](between(i, at)));
  };
  const corners = (point) =>
    point.reduce(
      (found, at, i) =>
        found.flatMap(([stops, weight]) =>
          around(i - (point.length - rows.length), at).map(([stop, share]) => [[...stops, stop], weight * share]),
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
  // The value that the figure would get: a stop's, also where it is a text.
  const exactly = (i, at) => {
    if (!data.axes[i]) return data.texts[i][at];
    return Number.isInteger(at) ? data.axes[i].values[at] : between(i, at);
  };
  const valueText = (i, at) => {
    if (Number.isInteger(at)) return data.texts[i][at];
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
    earlier.forEach((mark) => mark.remove());
    const next = document.createElement("template");
    next.innerHTML = data.groups[group].svg;
    redraw(frame, next.content);
    elements = [...frame.querySelectorAll("*")];
    frame.querySelector(".sf-explore-sample")?.before(...earlier);
    shown = group;
    written = [];
    chosen = [];
  };

  const draw = () => {
    const places = rows.map(position);
    const exact = [...(again ? [seed] : []), ...places];
    const stop = index(exact.map(Math.round));
    const group = data.group[stop];
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
    const worded = (texts, place) => withOwn(texts[place(stop)], mixed.map(([at]) => texts[place(at)]), own);
    const known = { seed };
    rows.forEach((_, i) => (known[data.names[i]] = exactly(i, places[i])));
    for (const [name, word] of data.words) known[name] = word.axes ? lookUp(word, known) : evaluate(word, known);
    data.groups[group].choices.forEach(([i, name, texts], choice) => {
      const text = name ? texts[data.place[stop]] : worded(texts, (at) => data.place[at]);
      if (text === chosen[choice]) return;
      if (name) elements[i].setAttribute(name, text);
      else write(elements[i], text);
      chosen[choice] = text;
    });
    data.groups[group].said.forEach(([i, which]) => {
      const text = readable(evaluate(data.said[which], known));
      if (text !== elements[i].textContent) write(elements[i], text);
    });
    tell(places, data.alt ? readable(evaluate(data.alt, known)) : worded(data.alts, (at) => at));
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

  // An arrow key goes to the next stop, whose picture is computed; where a slider glides and has few stops, also to
  // places between, and as far as it takes to see another value.
  const MOST_KEYS = 8;
  const step = (event) => {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const input = event.target;
    if (!way || input.type !== "range") return;
    event.preventDefault();
    const i = rows.findIndex((row) => row[0] === input);
    const parts = input.step === "any" ? Math.ceil(MOST_KEYS / input.max) : 1;
    const before = exactly(i, position(rows[i], i));
    let at = parts * input.valueAsNumber;
    do {
      at = way > 0 ? Math.floor(at + 1.001) : Math.ceil(at - 1.001);
      input.value = at / parts;
    } while (exactly(i, position(rows[i], i)) === before && at > 0 && at < parts * input.max);
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
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
    read: () => exactly(i, position(inputs, i)),
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
