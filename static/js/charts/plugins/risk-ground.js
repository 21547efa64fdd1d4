// Under the points of speed against risk: the band of those that lost nothing.
import { faded } from "../palette.js";
import { given, write } from "./given.js";

const WORDS = { width: 74, height: 20 };
const BREAK = { wide: 3, high: 5, apart: 4 }; // two strokes through the axis, in pixels

export const riskGround = {
  id: "durascope-risk-ground",
  beforeDatasetsDraw(chart) {
    const { risk, colours } = given(chart);
    if (!risk) return;
    band(chart, risk, colours);
    axisBreak(chart, risk, colours);
  },
};

/** Between zero and the first decade the axis is not to scale. */
function axisBreak({ ctx, chartArea: { bottom }, scales }, risk, colours) {
  const edge = scales.x.getPixelForValue(risk.edge);
  ctx.save();
  ctx.strokeStyle = colours["ink-soft"];
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  for (const x of [edge - BREAK.apart / 2, edge + BREAK.apart / 2]) {
    ctx.moveTo(x - BREAK.wide, bottom + BREAK.high);
    ctx.lineTo(x + BREAK.wide, bottom - BREAK.high);
  }
  ctx.stroke();
  ctx.restore();
}

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
  const words = edge - chartArea.left > WORDS.width ? "nothing lost" : "none";
  write(chart, words, (chartArea.left + edge) / 2, chartArea.top + WORDS.height / 2, colours["ink-soft"], {
    align: "center",
    size: 11,
  });
}

/** Where the band says what it is: no name stands there. */
export function wordsOfBand({ chartArea: { left, top }, scales }, risk) {
  const middle = (left + scales.x.getPixelForValue(risk.edge)) / 2;
  return { ...WORDS, left: middle - WORDS.width / 2, top };
}
