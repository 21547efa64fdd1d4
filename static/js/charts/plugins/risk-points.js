// Settings in speed against risk: marks, spread of losses, and names that do not overlap.
import { onRiskAxis } from "../risk-axis.js";
import { paintMark, paintRing, RADIUS } from "../risk-marks.js";
import { given } from "./given.js";
import { wordsOfBand } from "./risk-ground.js";
import { distance, placed } from "./risk-labels.js";

const CAP = 3.5;
const LED = 12; // pixels from which a name is joined to its point

export const riskPoints = {
  id: "durascope-risk-points",
  afterDatasetsDraw(chart) {
    const { colours, risk } = given(chart);
    if (!risk) return;
    const shown = points(chart);
    const names = labels(chart);
    for (const [nth, label] of names.entries()) leader(chart.ctx, label, shown[nth]);
    for (const point of shown) spread(chart.ctx, point, ends(chart, point, risk));
    for (const point of shown) mark(chart.ctx, point, colours);
    for (const label of names) write(chart.ctx, label, colours);
  },
};

function points(chart) {
  return given(chart).payload.series.flatMap((one, index) => {
    const element = chart.getDatasetMeta(index).data[0];
    if (!chart.isDatasetVisible(index) || !element) return [];
    const colour = chart.data.datasets[index].borderColor;
    return [{ ...one, colour, x: element.x, y: element.y, given: one.points[0] }];
  });
}

/** From the smallest to the largest loss of any trial, in pixels. */
function ends({ scales }, { given: { x_lo, x_hi } }, risk) {
  return [x_lo, x_hi].map((loss) => scales.x.getPixelForValue(onRiskAxis(loss, risk)));
}

function spread(ctx, { colour, y }, [from, to]) {
  if (from === to) return;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  ctx.moveTo(from, y);
  ctx.lineTo(to, y);
  for (const x of [from, to]) {
    ctx.moveTo(x, y - CAP);
    ctx.lineTo(x, y + CAP);
  }
  ctx.stroke();
  ctx.restore();
}

function mark(context, { x, y, replica, nodes, colour, mine }, colours) {
  context.save();
  context.translate(x, y);
  paintMark(context, { replica, nodes }, colour, colours.surface);
  if (mine) paintRing(context, colours.ink);
  context.restore();
}

/** Names with their places: see risk-labels.js. */
export function labels(chart) {
  const { colours, risk } = given(chart);
  const shown = points(chart);
  const bars = shown.flatMap((point) => barsOf(chart, point, risk));
  return placed(chart.ctx, chart.chartArea, shown, [...bars, wordsOfBand(chart, risk)], RADIUS, colours.font);
}

/** Boxes around the error bars of a point: of its loss, and of its speed (intervals.js). */
function barsOf(chart, point, risk) {
  const [from, to] = ends(chart, point, risk);
  const [low, high] = [point.given.lo ?? point.given.y, point.given.hi ?? point.given.y].map((speed) => {
    const y = chart.scales.y.getPixelForValue(speed);
    return Math.min(
      Math.max(Number.isFinite(y) ? y : chart.chartArea.bottom, chart.chartArea.top),
      chart.chartArea.bottom,
    );
  });
  return [stroke([from, point.y - CAP], [to, point.y + CAP]), stroke([point.x - CAP, low], [point.x + CAP, high])];
}

function stroke([x1, y1], [x2, y2]) {
  const [left, top] = [Math.min(x1, x2) - 2, Math.min(y1, y2) - 2];
  return { left, top, width: Math.abs(x2 - x1) + 4, height: Math.abs(y2 - y1) + 4 };
}

/** From a name to its point, where it stands far away or near to another point. */
function leader(ctx, label, { x, y, colour }) {
  if (!label.stray && distance(label, { x, y }) < RADIUS + LED) return;
  const { left, top, width, height } = label;
  const from = [Math.min(Math.max(x, left), left + width), Math.min(Math.max(y, top), top + height)];
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(x, y);
  ctx.stroke();
  ctx.restore();
}

function write(ctx, { lines, left, top, width, align }, colours) {
  const x = { left, right: left + width, center: left + width / 2 }[align];
  ctx.save();
  ctx.textBaseline = "top";
  ctx.textAlign = align;
  ctx.lineWidth = 4;
  ctx.lineJoin = "round";
  ctx.strokeStyle = colours.surface;
  for (const [nth, { text, font }] of lines.entries()) {
    ctx.font = font;
    ctx.fillStyle = nth ? colours["ink-soft"] : colours.ink;
    ctx.strokeText(text, x, top + nth * 16);
    ctx.fillText(text, x, top + nth * 16);
  }
  ctx.restore();
}
