// Under the points of speed against risk: the band of those that lost nothing.
import { faded } from "../palette.js";
import { given, write } from "./given.js";

const WORDS = { width: 74, height: 20 };
const APART = 6; // pixels without ground and axis between the band and the log axis, which are two scales

export const riskGround = {
  id: "durascope-risk-ground",
  beforeDatasetsDraw(chart) {
    const { risk, colours } = given(chart);
    if (!risk) return;
    band(chart, risk, colours);
  },
};

function band(chart, risk, colours) {
  const { ctx, chartArea, scales } = chart;
  const edge = scales.x.getPixelForValue(risk.edge);
  ctx.save();
  ctx.fillStyle = faded(colours.unknown, 0.09);
  ctx.fillRect(chartArea.left, chartArea.top, edge - chartArea.left, chartArea.height);
  ctx.fillStyle = colours.surface;
  ctx.fillRect(edge - APART / 2, chartArea.top - 1, APART, chartArea.height + 3);
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
