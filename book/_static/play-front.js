/* The front page: everybody is a dot above their age, you among them, and the count of each age is published with noise. */
play.register("front", (stage, data, random, say) => {
  const { draw, set, make, sentence, button, laplace, linear, BLUE: TRUE, ORANGE: PRIVATE } = play;
  const MOST = 1.12 * Math.max(...data.counts); // higher columns end at the picture's edge
  const [BELOW, GLIDE, KINDS] = [24, 500, 8]; // pixels for the ages; milliseconds from one table to the next; of crowds
  const years = data.counts.length;

  const controls = make("div", { className: "sf-explore-controls sf-play-controls" }, stage);
  const privacy = play.slider(controls, {
    name: "epsilon", label: "ε", low: 0.001, high: 5, start: data.start, digits: 2, format: String, ends: ["more private", "more exact"], act: () => publish(taken),
  });
  const age = play.slider(controls, {
    name: "age", label: "your age", low: data.youngest, high: data.youngest + years - 1, start: 36, digits: 2, format: String, act: () => publish(false),
  });
  button(controls, "Publish again", () => {
    publish(true);
    say("Published again.");
  });
  const picture = make("div", { className: "front-picture" }, stage);
  const canvas = make("canvas", {}, picture);
  const svg = draw("svg", { role: "img" }, picture);
  const ridge = draw("path", { fill: "none", stroke: TRUE, "stroke-width": 1.5 }, svg);
  const axis = draw("g", {}, svg);
  const paper = "var(--pst-color-background, #fff)";
  const told = draw("line", { stroke: PRIVATE, "stroke-width": 4 }, svg);
  const you = [draw("circle", { r: 6, style: `fill: ${paper}` }, svg), draw("circle", { r: 4.5, fill: TRUE }, svg)];
  const name = draw("text", { text: "you", "font-weight": 700, style: `paint-order: stroke; stroke: ${paper}; stroke-width: 4px` }, svg);
  const counts = sentence(stage, "You and 898 others are 36. The table says 12,345; its counts are 1,234 off on average.");
  const verdict = sentence(stage, "Useful, but not private: a 50% suspicion that you are in it becomes 99.4% at most.");

  let taken = true; // taking hold of a slider draws fresh noise, which then scales with it: noise is no fixed offset
  for (const kind of ["pointerdown", "keydown"]) controls.addEventListener(kind, ({ repeat }) => (taken ||= !repeat), { capture: true });
  let noise = data.counts.map(() => 0); // of scale 1
  let table; // what is published
  let columns = data.counts; // as they are drawn
  let room; // the picture's measures

  const truth = () => data.counts.map((count, i) => count + (i === age.value() - data.youngest));
  const surest = (epsilon) => 1 / (1 + Math.exp(-epsilon)); // from an even chance
  // How a count is written, made once: toLocaleString would make it at each call.
  const [rounded, tenths] = [0, 1].map((maximumFractionDigits) => new Intl.NumberFormat("en-US", { maximumFractionDigits }));
  const people = (number) => (number < 10 ? tenths : rounded).format(number);

  function judged(epsilon) {
    const useful = 1 / epsilon <= data.counts.reduce((a, b) => a + b) / years / 5;
    if (surest(epsilon) > 0.55) return "Useful, but not private";
    return useful ? "Useful and private" : "Private, but not useful";
  }

  function publish(fresh) {
    taken = false;
    if (fresh) noise = noise.map(() => laplace(random, 1));
    const [epsilon, true_] = [privacy.value(), truth()];
    table = true_.map((count, i) => Math.max(0, Math.round(count + noise[i] / epsilon)));
    const off = table.reduce((sum, count, i) => sum + Math.abs(count - true_[i]), 0) / years;
    const mine = age.value() - data.youngest;
    const others = data.counts[mine] === 1 ? "one other" : `${people(data.counts[mine])} others`;
    counts(`You and ${others} are ${age.value()}. The table says ${people(table[mine])}; its counts are ${people(off)} off on average.`);
    const most = Math.ceil(1000 * surest(epsilon)) / 10;
    verdict(`${judged(epsilon)}: a 50% suspicion that you are in it becomes ${most.toFixed(1)}% at most.`);
    svg.setAttribute("aria-label", `A column of dots for each age from ${data.youngest} to ${data.youngest + years - 1}, as published, beside a line of the true counts; on average they are ${people(off)} people apart. You are in the column of ${age.value()}: ${people(table[mine])} published, truly ${people(true_[mine])}.`);
    mark();
    glide(fresh);
  }

  // You stand on top of your true column; a bar is where the table says that it ends.
  function mark() {
    const [i, true_] = [age.value() - data.youngest, truth()];
    const [x, y] = [room.x(i + 0.5), room.y(true_[i])];
    set(ridge, { d: "M" + true_.map((count, k) => `${room.x(k).toFixed(1)} ${room.y(count).toFixed(1)}H${room.x(k + 1).toFixed(1)}`).join("L") });
    const end = Math.max(room.y(table[i]), 0);
    set(told, { x1: room.x(i) - 5, x2: room.x(i + 1) + 5, y1: end, y2: end });
    for (const dot of you) set(dot, { cx: x, cy: y });
    set(name, { x, y: y - 12, "text-anchor": i < 5 ? "start" : i > years - 6 ? "end" : "middle" });
  }

  // The dots go from the last table to this one.
  let gliding;
  function glide(slowly) {
    cancelAnimationFrame(gliding);
    const [from, start] = [columns, performance.now()];
    const still = !slowly || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = (now) => {
      const share = still ? 1 : Math.min(Math.max((now - start) / GLIDE, 0), 1);
      const eased = share * share * (3 - 2 * share);
      columns = table.map((count, i) => from[i] + eased * (count - from[i]));
      paint();
      if (share < 1) gliding = requestAnimationFrame(step);
    };
    step(start);
  }

  // A person is a dot of the same size in every column. A few crowds, as high as the picture, are drawn once; each column
  // is a part of one.
  function measure() {
    const [width, height] = [picture.clientWidth, picture.clientHeight - BELOW];
    const scale = devicePixelRatio;
    const wide = (width * scale) / years; // of a column, in the screen's own pixels
    const across = Math.max(2, Math.ceil(wide / Math.sqrt((wide * height * scale) / MOST)));
    const pitch = wide / across;
    const x = linear([0, years], [0, width]);
    const y = (count) => height - (count / across) * (pitch / scale);
    Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    const scatter = play.generator(1);
    const crowds = Array.from({ length: KINDS }, () => {
      const crowd = Object.assign(document.createElement("canvas"), { width: Math.ceil(wide), height: canvas.height });
      const pen = crowd.getContext("2d");
      pen.fillStyle = PRIVATE;
      for (let row = 0; row * pitch < crowd.height; row++) {
        for (let k = 0; k < across; k++) {
          pen.beginPath();
          pen.arc((k + 0.35 + 0.3 * scatter()) * pitch, crowd.height - (row + 0.35 + 0.3 * scatter()) * pitch, 0.45 * pitch, 0, 7);
          pen.fill();
        }
      }
      return crowd;
    });
    room = { x, y, across, pitch, crowds, wide };
    set(svg, { viewBox: `0 0 ${width} ${height + BELOW}` });
    axis.replaceChildren();
    draw("line", { x1: 0, x2: width, y1: height + 0.5, y2: height + 0.5, stroke: "currentColor" }, axis);
    for (const tick of [30, 50, 70])
      draw("text", { x: x(tick - data.youngest + 0.5), y: height + 18, "text-anchor": "middle", text: tick === 30 ? "age 30" : tick }, axis);
  }

  function paint() {
    const pen = canvas.getContext("2d");
    const { crowds, wide, pitch, across } = room;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    columns.forEach((count, i) => {
      const [crowd, x] = [crowds[i % KINDS], Math.round(i * wide)];
      const part = (width, height, from) =>
        width >= 1 && height >= 1 && pen.drawImage(crowd, 0, crowd.height - from - height, width, height, x, canvas.height - from - height, width, height);
      const whole = Math.min(crowd.height, Math.floor(count / across) * pitch);
      part(crowd.width, whole, 0);
      if (whole + pitch <= crowd.height) part((count % across) * pitch, pitch, whole);
    });
  }

  svg.addEventListener("pointerdown", ({ offsetX }) => {
    const year = Math.floor(room.x.back(offsetX));
    if (year < 0 || year >= years) return;
    age.put(data.youngest + year);
    publish(false);
  });

  measure();
  publish(true);
  new ResizeObserver(() => {
    measure();
    mark();
    paint();
  }).observe(picture);
  return { surest, judged, publish, privacy, age, table: () => table };
});
