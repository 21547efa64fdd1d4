// The name of a line is at its end, moved as little as needed to avoid overlap.
import { BACK, stepsBack } from "../crowd.js";
import { faded } from "../palette.js";
import { kindWord, unmeasured } from "../unmeasured.js";
import { given } from "./given.js";

const HEIGHT = 16;
const LEADER = 14;
const MOST = 0.3; // of the width; wider names go to the key
const FAR = 60; // pixels that a name was moved: a line to it would cross too many others
const BESIDE = 74; // pixels of a plot's height that belong to its axes

/** Pixels needed right of the plot; 0 if the names need too much width or height. */
export function roomForLabels(payload, colours, { clientWidth: width, clientHeight: height }) {
  const named = payload.series.filter((_, index) => !repeats(payload.series, index)).length;
  if (named * HEIGHT > height - BESIDE) return 0;
  const context = document.createElement("canvas").getContext("2d");
  context.font = `500 12px ${colours.font}`;
  const widest = Math.max(
    0,
    ...payload.series.map((series) => context.measureText(series.name + kindWord(series)).width),
  );
  const room = Math.ceil(widest) + LEADER + 12;
  return room <= width * MOST ? room : 0;
}

export const endLabels = {
  id: "durascope-end-labels",
  afterDatasetsDraw(chart) {
    const { view, colours } = given(chart);
    if (!view.labels) return;
    for (const label of settle(ends(chart), chart.chartArea)) drawLabel(chart, label, colours);
  },
};

function ends(chart) {
  return chart.getSortedVisibleDatasetMetas().flatMap((meta) => {
    const last = meta.data.findLast((element) => !element.skip && Number.isFinite(element.y));
    const { series } = given(chart).payload;
    if (!last || repeats(series, meta.index) || isCut(series[meta.index], last.x, chart.chartArea)) return [];
    const { label, borderColor, borderDash } = chart.data.datasets[meta.index];
    const at = Math.min(Math.max(last.y, chart.chartArea.top), chart.chartArea.bottom);
    const { view, colours } = given(chart);
    const ink = stepsBack(view, meta.index) ? faded(colours.ink, 2 * BACK) : colours.ink;
    return [{ text: label, ink, colour: borderColor, dash: borderDash, fromX: last.x, from: at, y: at }];
  });
}

/** A bound or a model's curve next to a measured line of its name needs no name of its own. */
function repeats(series, index) {
  return unmeasured(series[index]) && series.some((other) => !unmeasured(other) && other.name === series[index].name);
}

/** A bound that leaves the chart at its top ends far from the labels. Its colour names it. */
export function isCut(series, x, { right }) {
  return unmeasured(series) && x < right - FAR;
}

/** Labels in a column without overlap: pushed down from the top, then up from the bottom. */
export function settle(labels, { top, bottom }) {
  labels.sort((a, b) => a.y - b.y);
  let free = top + HEIGHT / 2 - 4;
  for (const label of labels) {
    label.y = Math.max(label.y, free);
    free = label.y + HEIGHT;
  }
  let limit = bottom;
  for (const label of labels.toReversed()) {
    label.y = Math.min(label.y, limit);
    limit = label.y - HEIGHT;
  }
  return labels;
}

function drawLabel({ ctx, chartArea }, { text, ink, colour, dash, fromX, from, y }, colours) {
  const start = chartArea.right + 6;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.25;
  ctx.setLineDash(dash);
  ctx.beginPath();
  if (Math.abs(y - from) > FAR) ctx.moveTo(start - 4, y);
  else ctx.moveTo(Math.max(fromX + 7, start - 4), from);
  ctx.lineTo(start + LEADER - 5, y);
  ctx.stroke();
  ctx.font = `500 12px ${colours.font}`;
  ctx.fillStyle = ink;
  ctx.textBaseline = "middle";
  ctx.fillText(text, start + LEADER - 1, y + 0.5);
  ctx.restore();
}
