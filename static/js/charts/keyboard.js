// Charts by keyboard: arrows move from point to point, and a line below the plot describes the point.
import { place } from "./config.js";
import { crowded, family } from "./crowd.js";
import { kindOf } from "./kinds.js";
import { reading } from "./numbers.js";

const MOVES = {
  ArrowRight: (cursor) => ({ ...cursor, point: cursor.point + 1 }),
  ArrowLeft: (cursor) => ({ ...cursor, point: cursor.point - 1 }),
  ArrowDown: (cursor) => ({ ...cursor, series: cursor.series + 1 }),
  ArrowUp: (cursor) => ({ ...cursor, series: cursor.series - 1 }),
  Home: (cursor) => ({ ...cursor, point: 0 }),
  End: (cursor) => ({ ...cursor, point: Infinity }),
};

// If each series is one point, left and right move through the series too.
const ACROSS = {
  ...MOVES,
  ArrowRight: MOVES.ArrowDown,
  ArrowLeft: MOVES.ArrowUp,
  End: (cursor) => ({ ...cursor, series: Infinity }),
};
ACROSS.Home = (cursor) => ({ ...cursor, series: 0 });

export function wireKeyboard(view) {
  const { canvas } = view;
  const line = makeReading(view);
  const moves = kindOf(view.payload).across ? ACROSS : MOVES;
  let cursor = null;
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-roledescription", "chart");
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return leave();
    if (!moves[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    cursor = within(view, cursor ? moves[event.key](cursor) : { series: 0, point: 0 });
    if (cursor) say(view, cursor, line);
  });
  const leave = () => {
    cursor = null;
    line.textContent = "";
    view.toFront(null);
    point(view, []);
  };
  canvas.addEventListener("blur", () => cursor && leave());
}

function makeReading({ plot, canvas, payload }) {
  const line = document.createElement("p");
  line.className = "chart-reading";
  line.setAttribute("aria-live", "polite");
  plot.after(line);
  canvas.setAttribute(
    "aria-label",
    `${canvas.getAttribute("aria-label") || payload.title}. Arrow keys read its points; its table follows.`,
  );
  return line;
}

/** Moves the cursor to an existing point of a visible series. */
function within(view, { series, point }) {
  const drawn = view.chart.data.datasets;
  const shown = drawn.map((_, index) => index).filter((index) => isShown(view, index) && drawn[index].data.length);
  if (!shown.length) return null;
  const at = Math.min(Math.max(series, 0), shown.length - 1);
  const last = drawn[shown[at]].data.length - 1;
  return { series: at, index: shown[at], point: Math.min(Math.max(point, 0), last) };
}

/** Skips hidden bounds. */
function isShown({ hidden, payload }, index) {
  return !hidden.has(index) && !(crowded(payload) && payload.series[index].ceiling);
}

function say(view, { index, point: nth }, line) {
  const { label, data } = view.chart.data.datasets[index];
  const at = data[nth];
  const mark = at.mark ? `, ${at.mark}` : "";
  const where = kindOf(view.payload).across ? [index, view.payload.series.length] : [nth, data.length];
  line.textContent = `${label}, ${place(view.payload, at)}: ${reading(at, view.payload.y.unit)}${mark}. Point ${where[0] + 1} of ${where[1]}.`;
  if (crowded(view.payload)) view.toFront(family(view.payload, index));
  point(view, [{ datasetIndex: index, index: nth }]);
}

function point({ chart }, active) {
  const element = active.length ? chart.getDatasetMeta(active[0].datasetIndex).data[active[0].index] : { x: 0, y: 0 };
  chart.setActiveElements(active);
  chart.tooltip.setActiveElements(active, { x: element.x, y: element.y });
  chart.render();
}
