// The walk as a picture: the symbols of the word, what was written at each, and the form.
import { visible } from "./walk.js";

const TILE = 56, GAP = 8, MARGIN = 32;
const FONT = "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
const PAUSE = 0.5; // seconds per action

const escaped = (text) => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

function text(x, y, size, fill, content, more = "") {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}"${more}>${escaped(content)}</text>`;
}

// An SVG that plays by itself where it may, and is complete where it does not.
export function walkPicture(prediction, cell, rtl) {
  const { symbols, steps, direction } = prediction.explanation;
  const shown = symbols.map((symbol, place) => ({ symbol, place, written: "" }));
  for (const { position, symbol } of steps) {
    if (symbol === null) continue;
    const item = shown[position];
    item.written = direction === "backward" ? symbol + item.written : item.written + symbol;
  }
  const tiles = shown.filter(({ symbol, written }) => symbol || written);
  if (rtl) tiles.reverse();
  const row = tiles.length * (TILE + GAP) - GAP;
  const width = 2 * MARGIN + Math.max(360, row, 8 * `${cell} · stepwrite`.length);
  const start = rtl ? width - MARGIN - row : MARGIN;
  const lasting = steps.length * PAUSE + 2;
  const parts = tiles.map(({ symbol, place, written }, number) => {
    const x = start + number * (TILE + GAP);
    const middle = x + TILE / 2;
    const at = steps.flatMap((step, when) => (step.position === place ? [when] : []));
    const changed = symbol !== written;
    const stroke = changed ? "#a9480f" : "#d9d3c8";
    const from = at[0] * PAUSE / lasting, to = (at.at(-1) + 1) * PAUSE / lasting;
    const glow = at.length ? `<animate attributeName="fill" dur="${lasting}s" repeatCount="indefinite" `
      + `calcMode="discrete" values="#ffffff;#f3c9a6;#ffffff" keyTimes="0;${Math.max(from, 0.001).toFixed(4)};${to.toFixed(4)}"/>` : "";
    return `<rect x="${x}" y="96" width="${TILE}" height="${TILE}" rx="10" fill="#ffffff" stroke="${stroke}" stroke-width="2">${glow}</rect>`
      + text(middle, 133, 26, symbol && !written ? "#a49c90" : "#23211e", visible(symbol) || "·", ' text-anchor="middle"')
      + text(middle, 184, 24, "#a9480f", written, ' text-anchor="middle"');
  });
  const edge = rtl ? width - MARGIN : MARGIN;
  const anchor = rtl ? ' text-anchor="end"' : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 260" width="${width}" height="260" font-family="${escaped(FONT)}" role="img">`
    + `<title>${escaped(`${prediction.lemma} → ${prediction.form}`)}</title>`
    + `<rect width="${width}" height="260" fill="#faf8f5"/>`
    + text(edge, 64, 34, "#23211e", prediction.form, `${anchor} font-weight="600"`)
    + parts.join("")
    + text(MARGIN, 234, 15, "#6b655c", `${cell} · stepwrite`)
    + "</svg>\n";
}

export function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "image/svg+xml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
