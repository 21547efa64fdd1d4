// Seconds with (nearly) no commits: a band behind the curve, with a name if there is room.
import { faded } from "../palette.js";
import { given, write } from "./given.js";

const ROOM_FOR_WORD = 30;

export const stalls = {
  id: "durascope-stalls",
  beforeDatasetsDraw(chart) {
    const { colours } = given(chart);
    for (const [from, to] of merged(stalledSeconds(chart))) band(chart, from, to, colours);
  },
};

function stalledSeconds(chart) {
  const shown = chart.getSortedVisibleDatasetMetas().map((meta) => chart.data.datasets[meta.index].data);
  const marked = shown.flat().filter((point) => point.mark === "stall" && Number.isFinite(point.x));
  return [...new Set(marked.map((point) => point.x))].sort((a, b) => a - b);
}

/** Consecutive seconds are one stall. */
export function merged(seconds) {
  const spans = [];
  for (const second of seconds) {
    const last = spans.at(-1);
    if (last && second - last[1] <= 1.5) last[1] = second;
    else spans.push([second, second]);
  }
  return spans;
}

function band(chart, from, to, colours) {
  const { ctx, chartArea, scales } = chart;
  const left = Math.max(scales.x.getPixelForValue(from - 0.5), chartArea.left);
  const right = Math.min(scales.x.getPixelForValue(to + 0.5), chartArea.right);
  ctx.save();
  ctx.fillStyle = faded(colours.failed, 0.14);
  ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
  ctx.fillStyle = colours.failed;
  ctx.fillRect(left, chartArea.top, right - left, 2);
  ctx.restore();
  if (right - left > ROOM_FOR_WORD)
    write(chart, "stall", (left + right) / 2, chartArea.top + 10, colours.failed, { align: "center", size: 11 });
}
