// The throughput of the running cell, second by second.
import { configure } from "../charts/config.js";
import { drawn } from "../charts/drawn.js";
import { palette } from "../charts/palette.js";
import { second } from "./page.js";

const AT_LEAST_S = 10; // so that the first seconds do not fill the whole width

export class Curve {
  constructor(plot) {
    this.plot = plot;
    this.canvas = plot.querySelector("canvas") ?? plot.appendChild(document.createElement("canvas"));
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Throughput of the current cell");
    document.addEventListener("themechange", () => this.last && this.show(this.last));
  }

  show(state) {
    this.last = state;
    this.plot.toggleAttribute("data-empty", !state.seconds?.length);
    const colours = palette();
    const config = configure(payload(state), { log: false, hidden: new Set(), labels: false, room: 0 }, colours);
    config.options.scales.x.min = 0;
    config.options.scales.x.max = Math.max(AT_LEAST_S, config.options.scales.x.max ?? 0);
    this.chart = drawn(this.chart, this.canvas, config);
  }
}

function payload(state) {
  const points = (state.seconds ?? []).map(second).map(([x, y]) => ({ x, y }));
  const phase = state.warming ? "transactions per second, warming up" : "transactions per second";
  return {
    key: "live",
    kind: "time",
    x: { label: "time", unit: "s", scale: "linear" },
    y: { label: phase, unit: "/s", scale: "linear" },
    series: [
      {
        name: state.cell?.variant ?? "now",
        colour: state.colour ?? 0,
        dash: Boolean(state.warming),
        stack: "",
        points,
      },
    ],
  };
}
