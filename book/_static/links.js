/* A link to a figure as it stands, #fig-name?epsilon=0.3&seed=4, and back; and how it was left, for Back and a reload. A
   figure that is ready has `settings`: of each name, how it is read, and how a text is put into it, which leaves it alone
   where the text is none of its values. */
(() => {
  "use strict";

  // Figures that are ready later may move the one that was asked for: it is held in view until the reader does something.
  let held;
  const hold = () => held?.scrollIntoView({ behavior: "instant" });
  for (const own of ["wheel", "pointerdown", "keydown"]) addEventListener(own, () => (held = null), { capture: true });

  function follow(figure) {
    const [id, asked] = location.hash.slice(1).split("?");
    if (asked === undefined || id !== figure.id) return;
    put(figure, asked);
    held = figure;
    hold();
  }

  const stateOf = (figure) => `${new URLSearchParams([...figure.settings].map(([name, setting]) => [name, setting.read()]))}`;
  function put(figure, state) {
    for (const [name, text] of new URLSearchParams(state)) figure.settings.get(name)?.put(text);
  }

  // The visit's entry in the history knows how figures were left; a new visit begins where the book does.
  const left = () => history.state?.figures ?? {};
  const remember = (figure) =>
    history.replaceState({ ...history.state, figures: { ...left(), [figure.id]: stateOf(figure) } }, "");

  async function copy(figure, button) {
    history.replaceState(history.state, "", `#${figure.id}?${stateOf(figure)}`);
    try {
      await navigator.clipboard.writeText(location.href);
      button.dataset.done = "Link copied";
    } catch {
      button.dataset.done = "The link is in the address bar"; // as where a page is neither local nor encrypted
    }
    figure.querySelector(".sf-explore-said").textContent = button.dataset.done;
    setTimeout(() => delete button.dataset.done, 3000);
  }

  // The numbers of a figure far below wait for a reader: who comes by a link wants them now, once the figure can hear it.
  const want = () => document.getElementById(location.hash.slice(1).split("?")[0])?.dispatchEvent(new Event("figure-wanted"));
  addEventListener("load", () => setTimeout(want));
  addEventListener("hashchange", want);

  document.addEventListener("figure-ready", ({ target: figure }) => {
    const name = "Copy a link to this figure as it stands";
    const button = Object.assign(document.createElement("button"), { type: "button", className: "figure-link", title: name, ariaLabel: name });
    button.addEventListener("click", () => copy(figure, button));
    figure.querySelector("figcaption").after(button);
    if (figure.id in left()) put(figure, left()[figure.id]);
    else follow(figure);
    for (const done of ["change", "click"]) figure.addEventListener(done, () => remember(figure));
    requestAnimationFrame(() => requestAnimationFrame(hold));
    addEventListener("hashchange", () => follow(figure));
  });
})();
