// 95 % intervals as thin bars with caps. On a log axis an end at or below zero runs to the bottom.
import { hasInterval } from "../numbers.js";
import { given } from "./given.js";

const CAP = 3.5;

export const intervals = {
  id: "durascope-intervals",
  afterDatasetsDraw(chart) {
    const { kind, colours } = given(chart);
    if (kind.stacked) return;
    for (const meta of chart.getSortedVisibleDatasetMetas()) {
      const { data, borderColor } = chart.data.datasets[meta.index];
      const colour = kind.type === "bar" ? colours.ink : borderColor;
      meta.data.forEach((element, index) => {
        if (hasInterval(data[index]) && !element.skip) interval(chart, element.x, data[index], colour);
      });
    }
  },
};

function interval({ ctx, scales, chartArea }, x, { lo, hi }, colour) {
  const pixel = (value) => {
    const y = scales.y.getPixelForValue(value);
    return Number.isFinite(y) ? Math.min(Math.max(y, chartArea.top), chartArea.bottom) : chartArea.bottom;
  };
  const [low, high] = [pixel(lo), pixel(hi)];
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  ctx.moveTo(x, low);
  ctx.lineTo(x, high);
  for (const y of [low, high]) {
    ctx.moveTo(x - CAP, y);
    ctx.lineTo(x + CAP, y);
  }
  ctx.stroke();
  ctx.restore();
}
