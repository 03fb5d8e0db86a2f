/* What pages use of Bootstrap's script (24 kB) and of the copy button's (6 kB): menus that open, and code that is copied. */
(() => {
  "use strict";
  const MENU = '[data-bs-toggle="dropdown"]';

  function open(button, shown) {
    button.ariaExpanded = shown;
    button.nextElementSibling.classList.toggle("show", shown);
  }
  const closeAllBut = (kept) => document.querySelectorAll(MENU).forEach((button) => button !== kept && open(button, false));

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.(MENU);
    closeAllBut(button);
    if (button) open(button, button.ariaExpanded !== "true");
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!target.closest(".dropdown")) closeAllBut();
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest?.(".dropdown");
    if (!menu) return;
    const button = menu.querySelector(MENU);
    if (event.key === "Escape") {
      closeAllBut();
      button.focus();
    }
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    closeAllBut(button);
    open(button, true);
    const items = [button, ...menu.querySelectorAll(".dropdown-item")];
    items[(items.indexOf(document.activeElement) + way + items.length) % items.length].focus();
  });

  if (!navigator.clipboard) return; // a page that is neither local nor encrypted
  for (const code of document.querySelectorAll("div.highlight pre")) {
    if (code.closest(".cell_output")) continue;
    const name = "Copy this code";
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copybtn", title: name, ariaLabel: name });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.classList.add("success");
      setTimeout(() => button.classList.remove("success"), 2000);
    });
    code.after(button);
  }
})();
