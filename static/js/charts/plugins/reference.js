// The reference line of ratios: 1 is the baseline.
import { given } from "./given.js";

export const reference = {
  id: "durascope-reference",
  beforeDatasetsDraw(chart) {
    const { kind, colours } = given(chart);
    if (kind.reference === null) return;
    const { ctx, chartArea, scales } = chart;
    const y = scales.y.getPixelForValue(kind.reference);
    if (!(y >= chartArea.top && y <= chartArea.bottom)) return;
    ctx.save();
    ctx.strokeStyle = colours["ink-soft"];
    ctx.lineWidth = 1.25;
    ctx.beginPath();
    ctx.moveTo(chartArea.left, y);
    ctx.lineTo(chartArea.right, y);
    ctx.stroke();
    ctx.restore();
  },
};
