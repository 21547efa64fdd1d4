// Under the points of cost against risk: the band of those that lost nothing, and the line that nothing beats.
import { faded } from "../palette.js";
import { given, write } from "./given.js";

export const riskGround = {
  id: "durascope-risk-ground",
  beforeDatasetsDraw(chart) {
    const { risk, colours } = given(chart);
    if (!risk) return;
    band(chart, risk, colours);
    front(chart, colours);
  },
};

function band(chart, risk, colours) {
  const { ctx, chartArea, scales } = chart;
  const edge = scales.x.getPixelForValue(risk.edge);
  ctx.save();
  ctx.fillStyle = faded(colours.unknown, 0.09);
  ctx.fillRect(chartArea.left, chartArea.top, edge - chartArea.left, chartArea.height);
  ctx.strokeStyle = colours["line-strong"];
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(edge, chartArea.top);
  ctx.lineTo(edge, chartArea.bottom);
  ctx.stroke();
  ctx.restore();
  const words = edge - chartArea.left > 74 ? "nothing lost" : "none";
  write(chart, words, (chartArea.left + edge) / 2, chartArea.top + 10, colours["ink-soft"], {
    align: "center",
    size: 11,
  });
}

function front(chart, colours) {
  const corners = stair(chart);
  if (!corners.length) return;
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = colours["ink-soft"];
  ctx.lineWidth = 1.25;
  ctx.lineJoin = "round";
  ctx.beginPath();
  for (const [x, y] of corners) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.restore();
}

/** Corners of the front: up to the next setting nothing commits more for that loss. */
export function stair(chart) {
  const order = given(chart).payload.front.filter((index) => chart.isDatasetVisible(index));
  const points = order.map((index) => chart.getDatasetMeta(index).data[0]);
  return points.flatMap(({ x, y }, nth) =>
    nth
      ? [
          [x, points[nth - 1].y],
          [x, y],
        ]
      : [[x, y]],
  );
}
