/* A link to a figure as it stands, #fig-name?epsilon=0.3&seed=4, and back. A figure that is ready has `settings`: of each
   name, how it is read, and how a text is put into it, which leaves it alone where the text is none of its values. */
(() => {
  "use strict";

  // Figures that are ready later may move the one that was asked for: it is held in view until the reader does something.
  let held;
  const hold = () => held?.scrollIntoView({ behavior: "instant" });
  for (const own of ["wheel", "pointerdown", "keydown"]) addEventListener(own, () => (held = null), { capture: true });

  function follow(figure) {
    const [id, asked] = location.hash.slice(1).split("?");
    if (asked === undefined || id !== figure.id) return;
    for (const [name, text] of new URLSearchParams(asked)) figure.settings.get(name)?.put(text);
    held = figure;
    hold();
  }

  async function copy(figure, button) {
    const state = new URLSearchParams([...figure.settings].map(([name, setting]) => [name, setting.read()]));
    history.replaceState(history.state, "", `#${figure.id}?${state}`);
    try {
      await navigator.clipboard.writeText(location.href);
      button.dataset.done = "Link copied";
    } catch {
      button.dataset.done = "The link is in the address bar"; // as where a page is neither local nor encrypted
    }
    figure.querySelector(".sf-explore-said").textContent = button.dataset.done;
    setTimeout(() => delete button.dataset.done, 3000);
  }

  document.addEventListener("figure-ready", ({ target: figure }) => {
    const name = "Copy a link to this figure as it stands";
    const button = Object.assign(document.createElement("button"), { type: "button", className: "figure-link", title: name, ariaLabel: name });
    button.addEventListener("click", () => copy(figure, button));
    figure.querySelector("figcaption").after(button);
    follow(figure);
    requestAnimationFrame(() => requestAnimationFrame(hold));
    addEventListener("hashchange", () => follow(figure));
  });
})();
