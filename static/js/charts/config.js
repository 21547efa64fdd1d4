// From a payload to a Chart.js configuration.
import { extent, xAxis, yAxis } from "./axes.js";
import { BACK, crowded, family, stepsBack, waits } from "./crowd.js";
import { day } from "./dates.js";
import { fill } from "./fills.js";
import { kindOf } from "./kinds.js";
import { reading, withUnit } from "./numbers.js";
import { faded, seriesColour } from "./palette.js";
import { panelScales, panelsOf, scaleOf } from "./panels.js";
import { PLUGINS } from "./plugins/all.js";
import { onRiskAxis, riskScale } from "./risk-axis.js";
import { inWords, nodesInWords } from "./risk-marks.js";
import { lookOf } from "./strokes.js";
import { kindWord, unmeasured } from "./unmeasured.js";

/** `view`: {log, hidden: Set of series indices, labels: draw names at line ends, room: pixels for them, front: Set of
 *  series that stand out, or null, toFront: what to call when others shall}. */
export function configure(payload, view, colours) {
  const kind = kindOf(payload);
  const categories = categoriesOf(payload, kind);
  const { xs, ys } = extent(payload, view.hidden);
  const risk = payload.kind === "risk" ? riskScale(payload) : null;
  const y = yAxis(payload, kind, view.log, ys, colours);
  return {
    type: kind.type,
    data: {
      datasets: payload.series.map((_series, index) => dataset(payload, index, view, colours, categories, risk)),
      given: { payload, kind, colours, view, risk }, // for the plugins
    },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      layout: { padding: { top: 26, right: view.labels ? view.room : 12 } },
      ...pointing(payload, view, kind),
      scales: {
        x: xAxis(payload, kind, categories, xs, colours, risk),
        ...(panelsOf(payload).length ? panelScales(payload, y, ys) : { y }),
      },
      plugins: {
        legend: { display: false },
        tooltip: tooltip(payload, colours),
      },
    },
    plugins: PLUGINS,
  };
}

/** At all series of a column; among many lines at the nearest point, whose line comes to the front. Chart.js hears late
 *  that the mouse has left, and points once more at where it was when the plot is drawn: that is passed over. */
function pointing(payload, view, kind) {
  if (!crowded(payload)) return { interaction: { mode: kind.mode ?? "column", intersect: false } };
  const onHover = (_, [nearest], { canvas }) => {
    if (nearest && canvas.matches(":hover")) view.toFront(family(payload, nearest.datasetIndex));
  };
  return { interaction: { mode: "nearest", intersect: false }, onHover };
}

/** The labels of a category axis, or null where x is a number. Bars always stand on categories. */
function categoriesOf(payload, kind) {
  if (payload.x.scale !== "category" && kind.type !== "bar") return null;
  if (payload.x.categories?.length) return payload.x.categories.map(String);
  const seen = new Set(payload.series.flatMap((series) => series.points.map((point) => point.x)));
  return [...seen].sort((a, b) => (typeof a === "number" ? a - b : 0)).map(String);
}

function dataset(payload, index, view, colours, categories, risk) {
  const series = payload.series[index];
  const own = seriesColour(colours, series.colour);
  const colour = stepsBack(view, index) ? faded(own, BACK) : own;
  const points = kindOf(payload).stepped ? filledSteps(series.points, payload.x.scale) : series.points;
  const data = points.map((point) =>
    risk ? atRisk(point, series, risk) : { ...point, x: categories ? String(point.x) : point.x },
  );
  const hidden = view.hidden.has(index) || waits(payload, view, index);
  const shared = {
    label: series.name + kindWord(series),
    data,
    hidden,
    yAxisID: scaleOf(payload, series),
    borderColor: colour,
    order: view.front?.has(index) ? -1 : 0,
  };
  return { ...shared, ...styleOf(payload, index, colour, colours) };
}

/** `loss` keeps the number of the point. */
function atRisk(point, series, risk) {
  const mark = [point.mark, nodesInWords(series.nodes), inWords(series.replica)].filter(Boolean).join(", ");
  return { ...point, x: onRiskAxis(point.x, risk), loss: point.x, mark };
}

/** A payload has no empty buckets; a step across the gap would show the count of the next bucket there. */
function filledSteps(points, scale) {
  if (scale !== "log2" || !points.length) return points;
  const known = new Map(points.map((point) => [Math.round(Math.log2(point.x)), point]));
  const [first, last] = [Math.min(...known.keys()) - 1, Math.max(...known.keys()) + 1];
  return Array.from(
    { length: last - first + 1 },
    (_, step) => known.get(first + step) ?? { x: 2 ** (first + step), y: 0 },
  );
}

/** The look of a series in plot and key. */
export function styleOf(payload, index, colour, colours) {
  const kind = kindOf(payload);
  const series = payload.series[index];
  if (kind.type === "bar") {
    const nth = payload.series.slice(0, index).filter((other) => sharesStack(other, series)).length;
    return {
      backgroundColor: fill(colour, nth, colours.surface),
      borderWidth: 1,
      maxBarThickness: 44,
      categoryPercentage: 0.82,
      barPercentage: 0.94,
      stack: series.stack || (kind.stacked ? "all" : `series-${index}`),
    };
  }
  if (kind.type === "scatter") return unseen;
  const marked = kind.marks && !unmeasured(series);
  const { stroke, shape, hollow } = lookOf(series);
  return {
    backgroundColor: kind.stepped ? faded(colour, 0.1) : colour,
    fill: kind.stepped ? "origin" : false,
    stepped: kind.stepped,
    borderWidth: series.ceiling ? 1.5 : 2,
    borderDash: stroke,
    borderCapStyle: "round",
    borderJoinStyle: "round",
    pointStyle: marked ? shape : "circle",
    pointRadius: marked ? (kind.radius ?? 4) : 0,
    pointHoverRadius: 5.5,
    pointBorderWidth: 1.5,
    pointBackgroundColor: hollow ? colours.surface : colour,
    showLine: kind.fitted ? Boolean(series.fit) : payload.x.scale !== "category" || kind.reference === null,
  };
}

/** Points that a plugin draws; here only for pointer and keyboard. */
const unseen = {
  pointRadius: 8,
  pointHoverRadius: 8,
  pointHitRadius: 12,
  pointBackgroundColor: "transparent",
  pointBorderColor: "transparent",
  pointHoverBackgroundColor: "transparent",
  pointHoverBorderColor: "transparent",
};

function sharesStack(a, b) {
  return b.stack !== "" && a.stack === b.stack && (a.colour ?? 0) === (b.colour ?? 0);
}

function tooltip(payload, colours) {
  return {
    backgroundColor: colours.raised,
    borderColor: colours["line-strong"],
    borderWidth: 1,
    titleColor: colours.ink,
    bodyColor: colours.ink,
    padding: 10,
    boxPadding: 5,
    cornerRadius: 6,
    usePointStyle: true,
    itemSort: (a, b) => b.parsed.y - a.parsed.y,
    filter: (item) => Number.isFinite(item.raw.y),
    callbacks: {
      title: (items) => (items.length ? place(payload, items[0].raw) : ""),
      label: (item) =>
        `${item.dataset.label}  ${reading(item.raw, payload.y.unit)}${item.raw.mark ? `, ${item.raw.mark}` : ""}`,
      labelPointStyle: (item) => ({ pointStyle: item.dataset.pointStyle ?? "rect", rotation: 0 }),
    },
  };
}

/** The position of a point: "8 threads", "12 s". */
export function place(payload, point) {
  if (payload.x.scale === "date") return day(point.x);
  const at = point.loss ?? point.x;
  const x = Number.isFinite(Number(at)) ? withUnit(Number(at), payload.x.unit) : String(at);
  return payload.x.unit || !payload.x.label ? x : `${x} ${payload.x.label}`;
}
