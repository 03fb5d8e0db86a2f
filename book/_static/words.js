/* What a link leads to stands beside it on hover, on focus and at the first tap: a term of the glossary, a definition or
   theorem, a figure, a formula, a source. What is on another page comes from terms.js (tools/book_site/links.py). */
(() => {
  "use strict";
  const HERE = ".proof, figure:not(.sf-explore), div.math"; // what is copied from the page itself
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href).href;
  const card = Object.assign(document.createElement("div"), { id: "word-card", hidden: true, role: "tooltip" });
  let wanted; // the link that is asked about, and the one that the card explains
  let shown;
  let terms;

  const loadTerms = () =>
    (terms ??= new Promise((done) => {
      const script = { src: `${root}_static/terms.js`, onload: () => done(TERMS), onerror: () => done({}) };
      document.head.append(Object.assign(document.createElement("script"), script));
    }));
  const made = (tag, properties) => Object.assign(document.createElement(tag), properties);

  async function contentOf(link) {
    if (link.title) link.dataset.source = link.title; // else the browser would show it, too
    link.removeAttribute("title");
    if (link.dataset.source) return [link.dataset.source];
    const box = link.pathname === location.pathname && document.getElementById(link.hash.slice(1))?.closest(HERE);
    if (box) {
      const copy = box.cloneNode(true);
      copy.querySelectorAll(".headerlink, button").forEach((one) => one.remove());
      [copy, ...copy.querySelectorAll("[id]")].forEach((one) => one.removeAttribute("id"));
      return [copy];
    }
    const found = (await loadTerms())[link.href.slice(root.length)];
    return found && [made("strong", { textContent: found[0] }), ` ${found[2]} `, made("a", { href: link.href, textContent: found[1] })];
  }

  async function show(link) {
    wanted = link;
    const content = await contentOf(link);
    if (wanted !== link) return Boolean(content);
    hide(); // also where this link has none
    if (!content) return false;
    card.replaceChildren(...content);
    card.hidden = false;
    link.setAttribute("aria-describedby", card.id);
    wanted = shown = link;
    place();
    return true;
  }

  function place() {
    if (!shown) return;
    // Under the link or over it, where there is more room, and never on it: a card that is too tall scrolls.
    const lines = [...shown.getClientRects()];
    const [over, under] = [lines[0].top - 12, innerHeight - lines.at(-1).bottom - 12];
    card.style.maxHeight = "";
    const own = card.getBoundingClientRect();
    const below = own.height <= under || under >= over;
    const height = Math.min(own.height, below ? under : over);
    card.style.maxHeight = `${height}px`;
    card.style.left = `${Math.max(8, Math.min(lines[0].left, innerWidth - own.width - 8))}px`;
    card.style.top = `${below ? lines.at(-1).bottom + 4 : lines[0].top - height - 4}px`;
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    card.hidden = true;
    wanted = shown = undefined;
  }

  const linkOf = ({ target }) => target.closest?.(".bd-article a.reference.internal[href*='#']:not(.slide)");
  const follow = (event) => (linkOf(event) ? show(linkOf(event)) : event.target.closest?.("#word-card") || hide());
  let touched = document.documentElement.dataset.stirred === "touchstart"; // before this script was there (later.js)
  document.body.append(card);
  // A mouse that rests while the keyboard goes on hides nothing.
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && (linkOf(event) || shown !== document.activeElement) && follow(event));
  document.addEventListener("pointerdown", ({ pointerType }) => (touched = pointerType === "touch"), { capture: true });
  document.addEventListener("focusin", (event) => touched || follow(event));
  document.addEventListener("keydown", ({ key }) => ((touched = false), key === "Escape" && hide()));
  document.addEventListener("click", async (event) => {
    const link = linkOf(event);
    if (!touched || link === shown) return;
    if (!link) return follow(event);
    event.preventDefault();
    if (!(await show(link))) location.assign(link.href);
  });
  // What a reader scrolls in the card itself stays there.
  addEventListener("scroll", ({ target }) => target === card || place(), { passive: true, capture: true });
  follow({ target: document.querySelector("a:hover") ?? document.activeElement }); // who stirred may be at a link already
})();
