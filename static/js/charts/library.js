// Chart.js is a classic script; imported as a module it still sets its global.
if (!globalThis.Chart) await import("../../vendor/chart.js/chart.umd.min.js");

export const Chart = globalThis.Chart;
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
