import { Chart } from "./library.js";

/** The chart on that canvas with this configuration: made the first time, changed in place later. */
export function drawn(chart, canvas, config) {
  if (!chart) return new Chart(canvas, config);
  chart.data = config.data;
  chart.options = config.options;
  chart.update("none");
  return chart;
}
