// Small samples of series for the key, on the page and in a downloaded picture.
import { styleOf } from "./config.js";
import { kindOf } from "./kinds.js";
import { Chart } from "./library.js";
import { seriesColour } from "./palette.js";

export const SWATCH = { width: 24, height: 12 }; // every stroke of strokes.js can be told there

export function paintSeries(context, payload, index, colours, own) {
  const colour = own ?? seriesColour(colours, payload.series[index].colour);
  const style = styleOf(payload, index, colour, colours);
  if (kindOf(payload).type === "bar") paintBox(context, colour, style.backgroundColor);
  else paintLine(context, style, colour);
}

export function paintBox(context, colour, filling = colour) {
  context.strokeStyle = colour;
  context.fillStyle = filling;
  context.lineWidth = 1;
  const left = (SWATCH.width - 11) / 2;
  context.fillRect(left, 0.5, 11, 11);
  context.strokeRect(left, 0.5, 11, 11);
}

function paintLine(context, style, colour) {
  const middle = SWATCH.height / 2;
  context.strokeStyle = colour;
  context.fillStyle = style.pointBackgroundColor;
  context.lineWidth = style.borderWidth;
  context.setLineDash(style.borderDash);
  context.beginPath();
  context.moveTo(0, middle);
  context.lineTo(SWATCH.width, middle);
  context.stroke();
  context.setLineDash([]);
  if (!style.pointRadius) return;
  const mark = {
    pointStyle: style.pointStyle,
    radius: style.pointRadius,
    borderWidth: style.pointBorderWidth,
    rotation: 0,
  };
  Chart.helpers.drawPoint(context, mark, SWATCH.width / 2, middle);
}
