// The key below a plot; each entry hides or shows its series.
import { crowded, followPointer } from "./crowd.js";
import { keyEntries } from "./key-entries.js";
import { kindOf } from "./kinds.js";
import { SWATCH } from "./swatch.js";

export function drawKey(view, wanted) {
  view.key ??= makeKey(view);
  view.key.list.hidden = !wanted || view.key.entries.length < (kindOf(view.payload).leastKey ?? 2);
  if (view.key.list.hidden) return;
  for (const { button, entry } of view.key.entries) {
    const isShown = !entry.indices.every((index) => view.hidden.has(index));
    if (entry.indices.length) button.setAttribute("aria-pressed", String(isShown));
    entry.paint(swatchContext(button), view.colours);
  }
}

function makeKey(view) {
  const list = document.createElement("ul");
  list.className = "chart-key";
  list.setAttribute("aria-label", "Series; press to hide or show");
  const entries = keyEntries(view.payload).map((entry) => ({ entry, button: makeButton(view, entry) }));
  for (const { button } of entries) {
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
  }
  if (crowded(view.payload)) list.append(hint());
  view.plot.after(list); // below: what is being read stays where it is
  return { list, entries };
}

/** An entry without series is only read. */
function makeButton(view, entry) {
  const button = document.createElement(entry.indices.length ? "button" : "span");
  const swatch = document.createElement("canvas");
  swatch.setAttribute("aria-hidden", "true");
  button.append(swatch, entry.name);
  if (!entry.indices.length) return button;
  button.type = "button";
  button.addEventListener("click", () => view.toggle(entry.indices));
  followPointer(button, view, entry.indices);
  return button;
}

function hint() {
  const item = document.createElement("li");
  item.className = "chart-hint";
  item.textContent = "Point at a name or a line: the others step back. Press a name to hide it.";
  return item;
}

function swatchContext(button) {
  const canvas = button.querySelector("canvas");
  const sharp = Math.max(1, devicePixelRatio);
  canvas.width = SWATCH.width * sharp;
  canvas.height = SWATCH.height * sharp;
  const context = canvas.getContext("2d");
  context.scale(sharp, sharp);
  return context;
}
