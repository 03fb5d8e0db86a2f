/* What is wider than its place scrolls sideways. It shows that it does, by a fade where it is cut off, and the keyboard
   reaches it. */
(() => {
  "use strict";
  const WIDE = "article :is(pre, mjx-container[display], .pst-scrollable-table-container, .cell_output .text_html)";

  const measured = (box) => {
    const hidden = box.scrollWidth - box.clientWidth;
    const scrolls = hidden > 0 && getComputedStyle(box).overflowX !== "visible";
    return [box, scrolls, scrolls && box.scrollLeft > 1, scrolls && hidden - box.scrollLeft > 1];
  };
  const mark = ([box, scrolls, left, right]) => {
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    box.classList.toggle("cut-left", left);
    box.classList.toggle("cut-right", right);
  };
  // All are measured before the first is marked: else each would be laid out anew.
  const look = (boxes) => boxes.map(measured).forEach(mark);

  const sizes = new ResizeObserver((changes) => look(changes.map((change) => change.target)));
  for (const box of document.querySelectorAll(WIDE)) {
    sizes.observe(box); // looks at it now, and whenever it is unfolded or the window turns
    box.addEventListener("scroll", () => look([box]), { passive: true });
  }
})();
