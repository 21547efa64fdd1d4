// Draws every <figure data-chart> when it scrolls near. Payloads: docs/contributing/charts.md.
import { payloadOf } from "./charts/payload.js";
import { ChartView } from "./charts/view.js";

const NEAR = "400px";
const views = new Set();
const waiting = new Set(document.querySelectorAll("[data-chart]"));

const watch = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) start(entry.target);
  },
  { rootMargin: NEAR },
);
for (const figure of waiting) watch.observe(figure);

document.addEventListener("themechange", () => {
  for (const view of views) view.draw();
});
addEventListener("beforeprint", () => {
  waiting.forEach(start);
  refit(); // as wide as paper, and light: app/paper.js
});
addEventListener("afterprint", refit);

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
    explain(figure, "The figures of this chart could not be loaded. Its table has them; reload the page to try again.");
  }
}

function draw(figure, payload) {
  const drawable = payload.series?.some((series) => series.points.length);
  if (payload.empty || !drawable) return explain(figure, payload.empty || "Nothing was measured for this chart.");
  const view = new ChartView(figure, payload);
  figure.chartView = view;
  figure.dataset.drawn = "";
  views.add(view);
}

function explain(figure, words) {
  const reason = document.createElement("p");
  reason.className = "chart-empty hatched";
  reason.textContent = words;
  (figure.querySelector(".chart-plot canvas") ?? figure.querySelector("canvas")).replaceWith(reason);
}
