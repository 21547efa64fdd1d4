// One chart on the page: plot, key and tools, drawn again when theme, scale or width change.
import { configure } from "./config.js";
import { crowded, followPointer } from "./crowd.js";
import { drawn } from "./drawn.js";
import { drawKey } from "./key.js";
import { wireKeyboard } from "./keyboard.js";
import { kindOf } from "./kinds.js";
import { palette } from "./palette.js";
import { needsHeight } from "./panels.js";
import { roomForLabels } from "./plugins/end-labels.js";
import { keepInAddress } from "./state.js";
import { addTools } from "./tools.js";

const MANY = 5; // more lines than that need a key for hiding some, even when each is named at its end

export class ChartView {
  constructor(figure, payload) {
    this.figure = figure;
    this.payload = payload;
    this.log = payload.y.scale === "log";
    this.hidden = new Set(payload.hidden);
    this.front = null;
    this.plot = figure.querySelector(".chart-plot") ?? wrapped(figure.querySelector("canvas"));
    this.canvas = this.plot.querySelector("canvas");
    this.colours = palette();
    figure.classList.toggle("crowded", crowded(payload) || needsHeight(payload));
    addTools(this);
    wireKeyboard(this);
    followPointer(this.canvas, this);
    new ResizeObserver(() => this.fit()).observe(this.plot);
    this.draw();
  }

  draw() {
    this.colours = palette();
    this.room = this.roomNow();
    this.chart = drawn(this.chart, this.canvas, configure(this.payload, this.view(), this.colours));
    drawKey(this, this.room === 0 || this.payload.series.length > MANY);
  }

  view() {
    const { log, hidden, room, front } = this;
    return { log, hidden, labels: room > 0, room, front, toFront: (indices) => this.toFront(indices) };
  }

  roomNow() {
    const isLabelled = kindOf(this.payload).labels && !this.payload.own_scales; // those panels have their names
    return isLabelled ? roomForLabels(this.payload, this.colours, this.plot) : 0;
  }

  /** Names at the line ends come and go with the width; all else Chart.js resizes itself. */
  fit() {
    if (this.roomNow() !== this.room) this.draw();
  }

  /** Its place has another size now, or other colours. */
  refit() {
    this.chart.resize();
    this.draw();
  }

  setLog(log) {
    this.log = log;
    this.draw();
    keepInAddress(this);
  }

  /** These series stand out and the others step back; null: all are alike again. */
  toFront(indices) {
    if (String(indices ?? "") === [...(this.front ?? [])].join()) return;
    this.front = indices ? new Set(indices) : null;
    this.chart = drawn(this.chart, this.canvas, configure(this.payload, this.view(), this.colours));
  }

  /** Hides these series, or shows them when all of them are hidden. */
  toggle(indices) {
    const show = indices.every((index) => this.hidden.has(index));
    for (const index of indices) this.hidden[show ? "delete" : "add"](index);
    this.front = null;
    this.draw();
    keepInAddress(this);
  }
}

function wrapped(canvas) {
  const plot = document.createElement("div");
  plot.className = "chart-plot";
  canvas.replaceWith(plot);
  plot.append(canvas);
  return plot;
}
