// Many lines in one plot: what is pointed at stands out, the others step back, and bounds are drawn with their line only.
import { kindOf } from "./kinds.js";
import { panelsOf } from "./panels.js";
import { unmeasured } from "./unmeasured.js";

const MANY = 8; // as many as there are colours
export const BACK = 0.16; // how much is left of a line that steps back

export function crowded(payload) {
  if (panelsOf(payload).length) return false;
  return kindOf(payload).type === "line" && payload.series.filter((series) => !unmeasured(series)).length > MANY;
}

/** A series with its bound or its model's curve. */
export function family(payload, index) {
  const { name } = payload.series[index];
  return payload.series.flatMap((other, at) => (other.name === name ? [at] : []));
}

export function stepsBack(view, index) {
  return Boolean(view.front) && !view.front.has(index);
}

/** A bound among many lines waits until its line is pointed at. */
export function waits(payload, view, index) {
  return Boolean(payload.series[index].ceiling) && crowded(payload) && !view.front?.has(index);
}

/** Pointing at the plot or at an entry of the key; the keyboard has its own way (keyboard.js). */
export function followPointer(element, view, indices) {
  if (!crowded(view.payload)) return;
  for (const start of ["mouseenter", "focus"]) element.addEventListener(start, () => indices && view.toFront(indices));
  for (const end of ["mouseleave", "blur"]) element.addEventListener(end, () => view.toFront(null));
}
