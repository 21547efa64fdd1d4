// Changes of a figure: a line with the number that the page explains.
import { given, write } from "./given.js";

const BESIDE = 14; // pixels between numbers that would cover each other

export const changes = {
  id: "durascope-changes",
  beforeDatasetsDraw(chart) {
    const { payload, view, colours } = given(chart);
    const shown = (payload.marks ?? []).filter((mark) => !mark.of.every((index) => view.hidden.has(index)));
    const places = shown
      .map((mark) => ({ ...mark, x: chart.scales.x.getPixelForValue(mark.x) }))
      .sort((a, b) => a.x - b.x);
    let free = -Infinity;
    for (const mark of places) {
      line(chart, mark, colours["line-strong"]);
      const at = Math.max(mark.x, free);
      write(chart, mark.sure ? mark.label : `${mark.label}?`, at, chart.chartArea.top - 8, colours.ink, {
        align: "center",
        weight: "650",
      });
      free = at + BESIDE;
    }
  },
};

/** Dotted while suspected. */
function line({ ctx, chartArea }, { x, sure }, colour) {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash(sure ? [6, 3] : [1, 4]);
  ctx.beginPath();
  ctx.moveTo(x, chartArea.top);
  ctx.lineTo(x, chartArea.bottom);
  ctx.stroke();
  ctx.restore();
}
