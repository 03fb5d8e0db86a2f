// Moves the figures made by dp_helpers.explore: unpacks the frames, shows the one at the sliders' positions.
(async (figure) => {
  const controls = figure.querySelector(".dp-explore-controls");
  const note = figure.querySelector(".dp-explore-note");
  const frame = figure.querySelector(".dp-explore-frame");
  const said = figure.querySelector(".dp-explore-said");
  const inputs = [...figure.querySelectorAll("input")];

  const unpack = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const showSliders = (possible) => {
    controls.hidden = !possible;
    note.hidden = possible;
  };

  showSliders("DecompressionStream" in window); // at once, so that nothing jumps when the frames are there
  let data;
  try {
    data = await unpack(figure.querySelector("script[type='text/plain']").textContent);
  } catch (error) {
    showSliders(false); // the note under the sliders' place says why
    return;
  }

  let pause;
  const show = () => {
    const position = inputs.reduce((sum, input, i) => sum * data.texts[i].length + input.valueAsNumber, 0);
    frame.innerHTML = data.frames[position];
    frame.setAttribute("aria-label", data.alts[position]);
    clearTimeout(pause); // a screen reader hears where the slider came to rest, not every step
    pause = setTimeout(() => (said.textContent = data.alts[position]), 500);
  };

  inputs.forEach((input, i) => {
    input.disabled = false;
    input.addEventListener("input", () => {
      const text = data.texts[i][input.value];
      input.setAttribute("aria-valuetext", text);
      input.nextElementSibling.textContent = text;
      show();
    });
  });
  figure.dataset.ready = "";
})(document.currentScript.parentElement);
