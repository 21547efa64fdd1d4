// Many lines in one plot: the line at the pointer stands out, the others fade, bounds appear only with their line.
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

/** Among many lines a bound is hidden until the pointer is at its line. */
export function waits(payload, view, index) {
  return Boolean(payload.series[index].ceiling) && crowded(payload) && !view.front?.has(index);
}

/** For the pointer, at the plot or at an entry of the key; keyboard.js does the same for keys. */
export function followPointer(element, view, indices) {
  if (!crowded(view.payload)) return;
  for (const start of ["mouseenter", "focus"]) element.addEventListener(start, () => indices && view.toFront(indices));
  for (const end of ["mouseleave", "blur"]) element.addEventListener(end, () => view.toFront(null));
}
