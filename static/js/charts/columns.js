// The pointer shows every series at its nearest x, even if the series have different x values.
import { Chart } from "./library.js";

Chart.Interaction.modes.column = (chart, event) => {
  const points = chart.getSortedVisibleDatasetMetas().flatMap((meta) => pointsOf(meta));
  if (!points.length) return [];
  const away = (point) => Math.abs(point.element.x - event.x);
  const nearest = points.reduce((best, point) => (away(point) < away(best) ? point : best));
  return points.filter((point) => sameColumn(point, nearest));
};

function pointsOf(meta) {
  return meta.data
    .map((element, index) => ({ element, index, datasetIndex: meta.index, x: meta._parsed[index].x }))
    .filter((point) => !point.element.skip && Number.isFinite(point.element.y));
}

/** By the value, not the pixel: bars of one category stand beside each other. */
function sameColumn(point, other) {
  return point.x === other.x;
}
