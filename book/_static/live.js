// Live code: the cells of a chapter become editors that run on a Jupyter server, Binder's or the class's own.
// Nothing is loaded, and no other host is asked, before the reader chooses "Live code" in the launch menu.
const STILL_WORKS = "Sliders, questions and labs that ask for a number work without it, "
  + "and the download button has this page as a notebook.";

// A bar under the title that says how it stands.
function tell(text) {
  const bar = document.querySelector(".live-code-status") || document.createElement("div");
  bar.className = "live-code-status";
  bar.innerHTML = '<span role="status"></span>';
  bar.firstChild.textContent = text;
  document.querySelector("article h1").after(bar);
  return bar;
}

async function startLiveCode() {
  const setting = document.getElementById("live-code");
  if (document.querySelector("[data-output]")) return; // asked before
  const {scripts, folder, thebe: options} = JSON.parse(setting.textContent);
  const bar = tell("");
  const say = (text) => { bar.firstChild.textContent = text; };
  let cells = [];
  const failed = (reason) => {
    say(`Live code could not start: ${reason} Reload the page to try again. ${STILL_WORKS}`);
    bar.classList.add("failed");
    bar.querySelectorAll("button").forEach((one) => one.remove());
    cells.splice(0).forEach(([still, live]) => live.replaceWith(still)); // no button that does nothing
  };
  const binder = options.useBinder;
  if (binder && !navigator.onLine) return failed("it runs on mybinder.org, and there is no network.");
  say(binder ? "Asking mybinder.org for a machine. The first start can take some minutes."
    : `Asking ${options.serverSettings.baseUrl} for a kernel.`);
  try {
    await Promise.all([load("link", {rel: "stylesheet", href: `${scripts}/thebe.css`}),
      load("script", {src: `${scripts}/index.js`})]);
  } catch (error) {
    return failed("its scripts did not load.");
  }
  cells = liveCells();
  window.thebe.on("status", (_, {status, message}) => {
    if (["error", "server-error", "session-error"].includes(status)) failed(message);
  });
  try {
    const {notebook, session} = await window.thebe.bootstrap({
      ...options,
      // A session is known by its path: each reader, and each page, has a kernel of their own in the chapter's folder.
      kernelOptions: {kernelName: "python3", path: `${folder}/live-${crypto.getRandomValues(new Uint32Array(2)).join("")}.ipynb`},
      requestKernel: true,
      mathjaxUrl: "", mathjaxConfig: "", // Thebe's own would come from another host
      mountRunAllButton: false, mountRestartButton: false, mountRestartAllButton: false,
    });
    if (bar.classList.contains("failed")) return;
    await notebook.cells[0].execute(); // the set-up is folded away: nobody would think of running it
    say("Live. The set-up has run; cells build on each other: run them from the top.");
    button("Run all cells", () => notebook.executeAll());
    button("Restart", () => session.kernel.restart());
    window.addEventListener("pagehide", () => session.shutdown());
  } catch (error) {
    failed(error.message || error);
  }

  function button(text, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    bar.append(made);
  }
}

function load(tag, attributes) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.onload = resolve;
    element.onerror = reject;
    document.head.append(element);
  });
}

// Mark the cells for Thebe, with copies in place of their code, and return the pairs. Thebe pairs the first source with
// the first output, and so on: code that shows nothing gets a place for it, too. Of several in a figure's fold, the last
// draws the figure above them.
function liveCells() {
  const inputs = [...document.querySelectorAll("article div.cell .cell_input")].filter((input) => input.querySelector("pre"));
  return inputs.map((still) => {
    const live = still.cloneNode(true);
    const source = live.querySelector("pre");
    source.dataset.executable = "true";
    source.dataset.language = "python";
    live.querySelectorAll("button.copybtn").forEach((copy) => copy.remove());
    const cell = still.closest("div.cell");
    const shown = cell.querySelector(".cell_output:not([data-output])");
    const draws = still === [...cell.querySelectorAll(".cell_input")].at(-1);
    still.replaceWith(live);
    let output = shown;
    if (!shown || !draws) {
      output = document.createElement("div");
      output.className = "cell_output";
      if (shown) shown.before(output);
      else cell.append(output);
    }
    output.dataset.output = "";
    return [still, live];
  });
}

// JupyterLite comes from this site, but its Python from another host: without it nothing would run, and nothing say so.
const PYTHON = "https://cdn.jsdelivr.net/pyodide/";
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.('a[href*="lite/lab/index.html"]');
  if (!link) return;
  event.preventDefault();
  try {
    await fetch(PYTHON, { method: "HEAD", mode: "no-cors" });
    location.assign(link.href);
  } catch {
    tell(`JupyterLite’s Python comes from ${new URL(PYTHON).host}, which can’t be reached now. ${STILL_WORKS}`);
  }
});

// JupyterLite needs a web server: a page opened from its file does not offer it, nor a menu without it.
document.addEventListener("DOMContentLoaded", () => {
  if (location.protocol !== "file:") return;
  document.querySelectorAll('.dropdown-launch-buttons a[href*="lite/lab/index.html"]').forEach((link) => {
    const menu = link.closest(".dropdown");
    link.closest("li").remove();
    if (!menu.querySelector("li")) menu.remove();
  });
});
