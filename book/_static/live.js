// Live code: the cells of a chapter become editors that run on a Jupyter server, Binder's or the class's own.
// Nothing is loaded, and no other host is asked, before the reader chooses "Live code" in the launch menu.
async function startLiveCode() {
  const setting = document.getElementById("live-code");
  if (document.querySelector(".live-code-status")) return;
  const {scripts, folder, thebe: options} = JSON.parse(setting.textContent);
  const bar = document.createElement("div");
  bar.className = "live-code-status";
  bar.innerHTML = '<span role="status"></span>';
  document.querySelector("article h1").after(bar);
  const say = (text) => { bar.firstChild.textContent = text; };
  const failed = (reason) => {
    say(`Live code could not start: ${reason} Reload the page to try again.`);
    bar.classList.add("failed");
  };
  const binder = options.useBinder;
  say(binder ? "Asking mybinder.org for a machine. The first start can take some minutes."
    : `Asking ${options.serverSettings.baseUrl} for a kernel.`);
  try {
    await Promise.all([load("link", {rel: "stylesheet", href: `${scripts}/thebe.css`}),
      load("script", {src: `${scripts}/index.js`})]);
  } catch (error) {
    return failed("its scripts did not load.");
  }
  markCells();
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
    say("Live. Cells build on each other: run them from the top.");
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

// Thebe pairs the first source with the first output, and so on: a cell that shows nothing gets a place for it, too.
function markCells() {
  for (const cell of document.querySelectorAll("article div.cell")) {
    const source = cell.querySelector(".cell_input pre");
    if (!source) continue;
    source.dataset.executable = "true";
    source.dataset.language = "python";
    let output = cell.querySelector(".cell_output");
    if (!output) {
      output = document.createElement("div");
      output.className = "cell_output";
      cell.append(output);
    }
    output.dataset.output = "";
    cell.querySelectorAll("button.copybtn").forEach((copy) => copy.remove());
  }
}

// JupyterLite needs a web server: a page opened from its file does not offer it, nor a menu without it.
document.addEventListener("DOMContentLoaded", () => {
  if (location.protocol !== "file:") return;
  document.querySelectorAll('.dropdown-launch-buttons a[href*="lite/lab/index.html"]').forEach((link) => {
    const menu = link.closest(".dropdown");
    link.closest("li").remove();
    if (!menu.querySelector("li")) menu.remove();
  });
});
