// Draws every <figure data-chart>: at once in and near the window, elsewhere when the browser is idle, in a closed fold
// when it is opened. Payloads: docs/contributing/charts.md.
import { tryAgain } from "./app/try-again.js";
import { payloadOf } from "./charts/payload.js";
import { ChartView } from "./charts/view.js";

const NEAR_PX = 400;
const ANYWHERE = "1000000px"; // what a closed fold holds has no box and is not seen
const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
const views = new Set();
const waiting = new Set();

const watch = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, boundingClientRect, target } of entries) {
      if (isIntersecting) isNear(boundingClientRect) ? start(target) : whenIdle(() => start(target));
    }
  },
  { rootMargin: ANYWHERE },
);
watchIn(document);
document.addEventListener("filled", (event) => watchIn(event.target)); // app/parts.js
document.addEventListener("themechange", () => {
  for (const view of views) view.draw();
});
addEventListener("beforeprint", () => {
  waiting.forEach(start);
  refit(); // as wide as paper, and light: app/paper.js
});
addEventListener("afterprint", refit);

function watchIn(root) {
  for (const figure of root.querySelectorAll("[data-chart]")) {
    waiting.add(figure);
    watch.observe(figure);
  }
}

function isNear({ top, bottom }) {
  return bottom > -NEAR_PX && top < innerHeight + NEAR_PX;
}

function refit() {
  for (const view of views) view.refit();
}

async function start(figure) {
  if (!waiting.delete(figure)) return;
  watch.unobserve(figure);
  try {
    draw(figure, await payloadOf(figure));
  } catch (error) {
    console.warn(`chart ${figure.dataset.chart}:`, error);
    sorry(figure);
  }
}

function sorry(figure) {
  const again = tryAgain(() => {
    figure.querySelector(".chart-empty").replaceWith(canvas);
    waiting.add(figure);
    start(figure);
  });
  const canvas = explain(figure, "The figures of this chart could not be loaded. Its table has them.", again);
}

function draw(figure, payload) {
  const drawable = payload.series?.some((series) => series.points.length);
  if (payload.empty || !drawable) return explain(figure, payload.empty || "Nothing was measured for this chart.");
  const view = new ChartView(figure, payload);
  figure.chartView = view;
  figure.dataset.drawn = "";
  views.add(view);
}

/** Returns the canvas, which made room. */
function explain(figure, words, ...more) {
  const reason = document.createElement("p");
  const canvas = figure.querySelector(".chart-plot canvas") ?? figure.querySelector("canvas");
  reason.className = "chart-empty hatched";
  reason.append(words, ...more);
  canvas.replaceWith(reason);
  return canvas;
}
