/* A chapter as a lecture (present.css): one thing of the page at a time, in the whole window. Nothing is copied, so sliders,
   questions and covers work as on the page; nothing is remembered. A cell tagged no-slide is left out. */
window.present = (() => {
  "use strict";
  const ASIDE = /^(Before you start|Self-check|Further reading|Going deeper)/;
  const BOXES = ".proof:is(.definition, .theorem, .lemma, .corollary, .proposition, .algorithm)";
  const CODE = ".cell:not(.tag_answers-predict, :has(.sf-explore, img))";
  const ROOM = [780, 439]; // a slide's pixels before it is enlarged: letters of 16 are 28 on a laptop of 1366 by 768
  const LARGER = [1.5, 1.35, 1.2, 1.1, 1];
  const article = document.querySelector(".bd-article");
  const header = article.querySelector("h1");
  let slides; // lists of steps, which are lists of what is seen together
  let at = -1;
  let step;

  const titleOf = (block) => block.closest(".bd-article > section > section")?.querySelector("h2").firstChild.textContent ?? "";

  const lengthOf = (steps) => steps.flat().reduce((sum, one) => sum + one.textContent.length, 0);

  // The proof of a theorem is folded away behind it.
  const proofOf = ({ nextElementSibling: next }) => (next?.matches("details") && /proof/i.test(next.querySelector("summary").textContent) ? [next] : []);

  // The questions to a figure stand right before it.
  const questionsTo = ({ previousElementSibling: before }) => (before?.matches("ol") ? [...before.children] : []);

  // Functions that a cell calls stand in cells before it, which print nothing: steps of its slide.
  function definedFor(cell) {
    const before = cell.previousElementSibling;
    if (!before || before.matches(".cell:has(.cell_output), .quiz")) return [];
    const shown = before.matches(".cell:not(.tag_hide-input, .tag_hide-cell, .tag_no-slide)");
    return [...definedFor(before), ...(shown ? [[before]] : [])];
  }

  // A lab's task; the program that it asks about is a step of its own.
  function taskOf(lab) {
    const program = lab.querySelector("form:has(.lab-lines)");
    return program ? [[...lab.children].filter((one) => one !== program), [program]] : [[lab]];
  }

  // The steps of the slide that this block makes, if it makes one.
  function stepsOf(block) {
    const next = block.nextElementSibling;
    if (block.matches(".chapter-question")) return [[header, block]];
    if (block.matches(".lab")) return taskOf(block);
    if (block.matches("#summary, .pst-scrollable-table-container")) return [[block]];
    if (block.matches(".quiz")) return next?.matches(".tag_answers-predict") && [[block], [next]];
    if (block.matches(BOXES)) return [[block, ...proofOf(block)]];
    if (!block.matches(".cell:not(.tag_answers-predict, .tag_no-slide, .tag_hide-cell)")) return null;
    const asked = questionsTo(block);
    if (block.querySelector(".cell_output :is(.sf-explore, img)")) return asked.length ? asked.map((one) => [one, block]) : [[block]];
    return block.querySelector(".cell_output") && [...definedFor(block), [block]];
  }

  const find = () =>
    [...article.querySelectorAll(":scope > section > :not(section), :scope > section > section:not(#summary) > *, #summary")]
      .filter((block) => block.id === "summary" || !ASIDE.test(titleOf(block)))
      .map(stepsOf)
      .filter(Boolean);

  function see(blocks) {
    article.querySelectorAll(".on, .way").forEach((one) => one.classList.remove("on", "way"));
    for (const block of blocks) {
      block.classList.add("on", "filled");
      for (let up = block.parentElement; up !== article; up = up.parentElement) up.classList.add("way");
    }
  }

  function show(slide, wanted = 0) {
    at = slide;
    step = Math.min(wanted, slides[at].length - 1);
    const blocks = slides[at][step];
    see(blocks);
    if (step) blocks[0].querySelector(".predict-cover")?.click(); // a show of hands has been taken
    article.dataset.title = titleOf(blocks.at(-1));
    count.textContent = `${at + 1} / ${slides.length}`;
    bar.style.setProperty("--share", (at + 1) / slides.length);
    article.focus({ preventScroll: true });
    fit();
    article.scrollTop = 0;
  }

  // A question to a figure is a step of its own.
  function turn(way) {
    if (slides[at][step + way]) show(at, step + way);
    else if (slides[at + way]) show(at + way, way > 0 ? 0 : Infinity);
  }

  // The largest letters with which the slide is seen whole, if it can be; a picture takes what room the letters leave.
  function fit() {
    const least = Math.max(1, Math.min(innerWidth / ROOM[0], innerHeight / ROOM[1]));
    const over = () => article.scrollHeight - article.clientHeight;
    const wide = () => [article, ...article.querySelectorAll(".on pre")].some((one) => one.scrollWidth > one.clientWidth + 1);
    article.style.removeProperty("--picture");
    article.classList.remove("crowded");
    const picture = article.querySelector(".on :is(.sf-explore-frame svg, .sf-play-stage svg, .cell_output img)");
    for (const larger of picture ? [1] : LARGER) {
      article.style.setProperty("--size", least * larger);
      if (over() <= 0 && !wide()) return true;
    }
    if (picture) article.style.setProperty("--picture", `${(picture.getBoundingClientRect().height - over()) / least}px`);
    article.classList.toggle("crowded", Boolean(picture) && over() > 0); // then the caption gives way
    return false;
  }

  // A table, or code with what it prints, that is too long for a slide is on none; on a phone slides scroll.
  const fits = ([block]) => innerWidth < ROOM[0] || !block.matches(`${CODE}, .pst-scrollable-table-container`) || (see([block]), fit());

  function start() {
    const found = find();
    const below = found.find(([[block]]) => block.getBoundingClientRect().bottom > 60) ?? found.at(-1);
    document.body.classList.add("presenting");
    const whole = new Map(found.map((steps) => [steps, steps.filter(fits)]).filter(([, kept]) => kept.length));
    const code = [...whole.keys()].filter((steps) => steps.at(-1)[0].matches(CODE)).sort((a, b) => lengthOf(a) - lengthOf(b));
    code.slice((whole.size - code.length) / 2).forEach((steps) => whole.delete(steps)); // a third of the slides at most
    slides = [...whole.values()];
    slides.forEach(([[block]], i) => (block.dataset.slide = i + 1));
    document.documentElement.requestFullscreen?.().catch(() => {}); // else the window has to do
    const next = found.slice(found.indexOf(below)).find((steps) => whole.has(steps));
    show(next ? slides.indexOf(whole.get(next)) : slides.length - 1);
  }

  function stop() {
    if (at < 0) return;
    const [block] = slides[at][step];
    at = -1;
    document.body.classList.remove("presenting");
    see([]);
    if (document.fullscreenElement) document.exitFullscreen();
    block.scrollIntoView({ block: "center", behavior: "instant" });
  }

  const bar = Object.assign(document.createElement("div"), { className: "present-bar" });
  const button = (text, name, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title: name, ariaLabel: name });
    made.addEventListener("click", act);
    return made;
  };
  const count = Object.assign(document.createElement("span"), { ariaLive: "polite" });
  bar.append(button("‹", "Back", () => turn(-1)), count, button("›", "On", () => turn(1)), button("×", "End (Esc)", stop));
  article.append(bar);
  article.tabIndex = -1;

  const WAYS = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
  addEventListener("keydown", (event) => {
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return stop();
    // An arrow moves the slider that has the focus, a space presses a button; a clicker's PageUp and PageDown always turn.
    const own = event.key.startsWith("Page") ? null : event.target.closest(event.key === " " ? "button, input, summary, a" : "input");
    if (!WAYS[event.key] || own) return;
    event.preventDefault();
    turn(WAYS[event.key]);
  }, { capture: true });
  let down;
  article.addEventListener("touchstart", ({ target, touches: [touch] }) => {
    const code = target.closest("pre");
    down = at < 0 || target.closest("input, circle") || code?.scrollWidth > code?.clientWidth + 1 ? undefined : touch;
  }, { passive: true });
  article.addEventListener("touchend", ({ changedTouches: [up] }) => {
    const [x, y] = down ? [up.clientX - down.clientX, up.clientY - down.clientY] : [0, 0];
    if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) turn(-Math.sign(x));
  });
  article.addEventListener("pointerup", ({ target }) => at >= 0 && target.matches("input[type=range]") && target.blur());
  article.addEventListener("toggle", () => at >= 0 && fit(), { capture: true });
  addEventListener("resize", () => at >= 0 && fit());
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || stop()); // Esc leaves both
  return { start };
})();
