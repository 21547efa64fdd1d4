// The chart as a complete picture: title, key and plot on the background of the theme, at double resolution.
import { keyEntries } from "./key-entries.js";
import { SWATCH } from "./swatch.js";

const SHARP = 2;
const PAD = 20;
const ROW = 20;

export function download(view) {
  picture(view).toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${view.payload.key}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, "image/png");
}

/** A separate canvas; the chart on the page stays unchanged. */
export function picture(view) {
  view.toFront(null);
  const width = view.plot.clientWidth;
  const rows = keyRows(view, width);
  const top = PAD + 24 + rows.length * ROW + 8;
  const canvas = document.createElement("canvas");
  canvas.width = (width + 2 * PAD) * SHARP;
  canvas.height = (top + view.plot.clientHeight + PAD) * SHARP;
  const context = canvas.getContext("2d");
  context.scale(SHARP, SHARP);
  context.fillStyle = view.colours.surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  title(context, view);
  for (const [nth, row] of rows.entries()) {
    for (const entry of row) keyEntry(context, view, entry, PAD + 34 + nth * ROW);
  }
  drawSharp(context, view, top);
  return canvas;
}

function title(context, view) {
  context.font = `650 15px ${view.colours.font}`;
  context.fillStyle = view.colours.ink;
  context.textBaseline = "middle";
  context.fillText(view.payload.title, PAD, PAD + 8);
}

/** Visible series in rows that fit; none if the names are at the lines. */
function keyRows(view, width) {
  if (view.room > 0 || view.payload.series.length < 2) return [];
  const context = document.createElement("canvas").getContext("2d");
  context.font = `12px ${view.colours.font}`;
  const rows = [[]];
  let x = 0;
  for (const { name, indices, paint } of keyEntries(view.payload)) {
    if (indices.length && indices.every((index) => view.hidden.has(index))) continue;
    const wide = SWATCH.width + 22 + context.measureText(name).width;
    if (x > 0 && x + wide > width) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1).push({ name, paint, x: PAD + x });
    x += wide;
  }
  return rows;
}

function keyEntry(context, view, { name, paint, x }, y) {
  context.save();
  context.translate(x, y - SWATCH.height / 2);
  paint(context, view.colours);
  context.restore();
  context.font = `12px ${view.colours.font}`;
  context.fillStyle = view.colours.ink;
  context.fillText(name, x + SWATCH.width + 6, y);
}

function drawSharp(context, { chart, plot }, top) {
  const before = chart.options.devicePixelRatio;
  chart.setActiveElements([]);
  chart.tooltip.setActiveElements([], { x: 0, y: 0 });
  chart.options.devicePixelRatio = SHARP;
  chart.resize();
  chart.draw();
  context.drawImage(chart.canvas, PAD, top, plot.clientWidth, plot.clientHeight);
  chart.options.devicePixelRatio = before;
  chart.resize();
}
