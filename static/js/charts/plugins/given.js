/** Input of every plugin from config.js: {payload, kind, colours, view}. */
export function given(chart) {
  return chart.data.given;
}

export function write(chart, text, x, y, colour, { align = "left", weight = "400", size = 12 } = {}) {
  const { ctx } = chart;
  ctx.save();
  ctx.font = `${weight} ${size}px ${given(chart).colours.font}`;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  ctx.fillText(text, x, y);
  ctx.restore();
}
