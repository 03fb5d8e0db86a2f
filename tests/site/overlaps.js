// Gives window.overlaps(frame): which texts of a figure lie on one another or in a line, as the letters are, without
// the room that a line of text has above and below them. A turned text is a turned box.
window.overlaps = (frame) => {
  const [ABOVE, BELOW, SIDE] = [0.3, 0.72, 1]; // of a text's box, where its small letters begin and end
  const style = (one) => getComputedStyle(one);
  const shown = (one) => one.getClientRects().length && style(one).visibility === "visible" && style(one).opacity !== "0";
  const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;

  const lettersOf = (text) => {
    const { x, y, width, height } = text.getBBox();
    const matrix = text.getScreenCTM();
    return { words: text.textContent.trim(), x, y, width, height, matrix, back: matrix.inverse(), rect: text.getBoundingClientRect() };
  };
  const inside = ({ x, y, width, height, back }, point) => {
    const { x: u, y: v } = point.matrixTransform(back);
    return u > x + SIDE && u < x + width - SIDE && v > y + ABOVE * height && v < y + BELOW * height;
  };
  const pointsOf = ({ x, y, width, height, matrix }) =>
    Array.from({ length: 63 }, (_, i) => {
      const [across, down] = [x + SIDE + ((width - 2 * SIDE) * (i % 21)) / 20, [ABOVE, 0.5, BELOW][Math.floor(i / 21)]];
      return new DOMPoint(across, y + down * height).matrixTransform(matrix);
    });
  const clipOf = (line) => {
    const id = line.closest("[clip-path]")?.getAttribute("clip-path").match(/#(.*)\)/)[1];
    return id ? document.getElementById(id).firstElementChild.getBBox() : { x: -1e6, y: -1e6, width: 2e6, height: 2e6 };
  };
  const pointsAlong = (line) => {
    const [length, matrix, clip] = [line.getTotalLength(), line.getScreenCTM(), clipOf(line)];
    const count = Math.min(400, Math.ceil(length / 2));
    return Array.from({ length: count + 1 }, (_, i) => line.getPointAtLength(count && (length * i) / count))
      .filter(({ x, y }) => x >= clip.x && x <= clip.x + clip.width && y >= clip.y && y <= clip.y + clip.height)
      .map((point) => point.matrixTransform(matrix));
  };

  const found = new Set();
  for (const svg of frame.querySelectorAll("svg")) {
    const texts = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim() && shown(one)).map(lettersOf);
    texts.forEach((one, i) => {
      const others = texts.filter((other, j) => i !== j && !apart(one.rect, other.rect));
      const on = others.find((other) => pointsOf(one).some((point) => inside(other, point)));
      if (on) found.add(`"${one.words}" on "${on.words}"`);
    });
    for (const line of svg.querySelectorAll("path, line")) {
      if (style(line).stroke === "none" || parseFloat(style(line).strokeWidth) < 0.9 || !shown(line)) continue;
      const near = texts.filter(({ rect }) => !apart(rect, line.getBoundingClientRect()));
      if (!near.length) continue;
      const points = pointsAlong(line);
      for (const text of near) if (points.some((point) => inside(text, point))) found.add(`"${text.words}" in a line`);
    }
  }
  return [...found];
};
