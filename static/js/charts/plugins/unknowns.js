// A bar without a known value is a hatched stub with a question mark, because a gap would read as zero.
import { hatched } from "../fills.js";
import { given, write } from "./given.js";

const STUB = 34;

export const unknowns = {
  id: "durascope-unknowns",
  afterDatasetsDraw(chart) {
    const { kind, colours } = given(chart);
    if (kind.type !== "bar") return;
    for (const meta of chart.getSortedVisibleDatasetMetas()) {
      chart.data.datasets[meta.index].data.forEach((point, index) => {
        if (point.y === null) stub(chart, meta.data[index], colours);
      });
    }
  },
};

function stub(chart, { x, width }, colours) {
  const { ctx, chartArea } = chart;
  const [left, top] = [x - width / 2, chartArea.bottom - STUB];
  ctx.save();
  ctx.fillStyle = hatched(colours["line-strong"], colours.surface);
  ctx.fillRect(left, top, width, STUB);
  ctx.restore();
  write(chart, "?", x, top - 9, colours.unknown, { align: "center", weight: "600" });
}
