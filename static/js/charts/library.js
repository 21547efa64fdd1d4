// Chart.js comes as one classic script; imported as a module it still sets the global, once.
if (!globalThis.Chart) await import("../../vendor/chart.js/chart.umd.min.js");

export const Chart = globalThis.Chart;
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
