/* Changes to review: the reader marks a line and says a verdict, and only then the answer opens (tools/book_site/reviews.py).
   A browser remembers what was chosen, as it does with questions. */
(function () {
  "use strict";
  const VERDICTS = { keeps: "It keeps its promise", breaks: "It breaks it", "can't be said": "It can't be said from this" };
  const element = (tag, properties) => Object.assign(document.createElement(tag), properties);

  function build(box) {
    const right = JSON.parse(box.dataset.right);
    const change = box.querySelector(".review-change");
    const details = box.querySelector(".review-answer");
    const form = element("form");
    const lines = element("fieldset", { className: "review-change" });
    lines.append(element("legend", { textContent: "Which line does it hang on?" }));
    const places = [...change.children].map((line, place) => {
      if (line.matches(".removed")) {
        lines.append(line);
        return null;
      }
      const label = element("label", { className: line.className });
      const input = element("input", { type: "radio", name: "line-" + box.id, value: place });
      label.append(input, ...line.childNodes);
      lines.append(label);
      return input;
    });
    const verdicts = element("fieldset");
    verdicts.append(element("legend", { textContent: "Does the new code keep its promise?" }));
    for (const [value, text] of Object.entries(VERDICTS)) {
      const label = element("label");
      label.append(element("input", { type: "radio", name: "verdict-" + box.id, value }), " " + text);
      verdicts.append(label);
    }
    const said = element("div", { className: "quiz-verdict" });
    said.setAttribute("role", "status");
    form.append(lines, verdicts, element("button", { type: "submit", textContent: "Check" }), said);
    change.replaceWith(form);
    details.hidden = true;

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const verdict = verdicts.querySelector(":checked")?.value;
      const line = lines.querySelector(":checked");
      if (!verdict || !line) {
        said.className = "quiz-verdict";
        said.textContent = verdict ? "Mark a line, too." : line ? "Say a verdict, too." : "Mark a line and say a verdict first.";
        return;
      }
      const isRight = verdict === right.verdict;
      const isLine = right.lines.includes(Number(line.value));
      box.dataset.outcome = isRight && isLine ? "right" : "wrong";
      said.className = "quiz-verdict " + box.dataset.outcome;
      const keeps = right.verdict === "keeps"; // then nothing hangs on a line
      said.textContent = isRight
        ? keeps ? "Right." : isLine ? "Right, and it is this line." : "The verdict is right. It hangs on another line."
        : "The verdict is another one" + (isLine && !keeps ? ", but this is the line." : ".");
      (keeps ? [right.line] : right.lines).forEach((place) => places[place].parentElement.classList.add("it"));
      details.hidden = false;
      details.open = true;
      if (isRight && isLine) progress.add(box.id);
      document.dispatchEvent(new Event("reviewed"));
    });
    progress.keep(form, box.id);
    return { box, kind: right.kind, chapter: details.querySelector(".review-source a") };
  }

  // How many of each kind were answered, and rightly, with the chapter that teaches the last one that wasn't.
  function score(built) {
    const place = element("section", { className: "review-score" });
    place.append(element("h2", { textContent: "Your score" }));
    const line = element("p", { className: "quiz-count" });
    line.setAttribute("role", "status");
    const table = element("table", { className: "table" });
    place.append(line, table);
    const show = () => {
      const done = built.filter(({ box }) => box.dataset.outcome);
      const rightly = (some) => some.filter(({ box }) => box.dataset.outcome === "right").length;
      line.textContent = `You have answered ${done.length} of ${built.length}, ${rightly(done)} with verdict and line right.`
        + (progress.isKept ? " Only this browser remembers it." : " Your browser forgets it when you leave the page.");
      const head = "<thead><tr><th scope=col>kind</th><th scope=col>right</th><th scope=col>read again</th></tr></thead>";
      table.hidden = !done.length;
      table.innerHTML = head + "<tbody></tbody>";
      for (const kind of new Set(done.map((one) => one.kind))) {
        const some = done.filter((one) => one.kind === kind);
        const missed = some.filter(({ box }) => box.dataset.outcome === "wrong");
        const row = table.tBodies[0].insertRow();
        row.append(element("th", { scope: "row", textContent: kind }));
        row.insertCell().textContent = `${rightly(some)} of ${some.length}`;
        const again = row.insertCell();
        const links = new Map(missed.map(({ chapter }) => [chapter.href, chapter]));
        [...links.values()].forEach((link, i) => again.append(...(i ? [", "] : []), link.cloneNode(true)));
      }
    };
    document.addEventListener("reviewed", show);
    show();
    return place;
  }

  function filter(other) {
    const label = element("label", { className: "review-filter" });
    const input = element("input", { type: "checkbox" });
    label.append(input, " Show the first ten only");
    input.addEventListener("change", () => (other.hidden = input.checked));
    return label;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const built = [...document.querySelectorAll("section.review")].map(build);
    if (!built.length) return;
    const [first, other] = ["review-first", "review-other"].map((id) => document.getElementById(id)?.closest("section"));
    if (other) {
      first.querySelector("h2").after(filter(other));
      other.after(score(built));
    } else built.at(-1).box.after(score(built));
  });
})();
