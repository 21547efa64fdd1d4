// Keys of every page: Ctrl K and / open the palette, j and k move from row to row, ? shows the keys. None acts while
// somebody types or a dialog is open, and those without Ctrl can be switched off (WCAG 2.1.4).

const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const ROWS = "main tbody tr, main [data-row]";
const OFF = "without-single-keys";

/** `opening`: opens the palette; undefined on pages without one. */
export function wireKeys(root, openPalette) {
  const keys = root.querySelector("#keys");
  if (!keys) return;
  const opening = { palette: openPalette, keys: () => keys.showModal() };
  root.addEventListener("click", (event) => opening[event.target.closest?.("[data-open]")?.dataset.open]?.());
  root.addEventListener("keydown", (event) => press(event, opening));
  wireChoice(keys.querySelector("[data-single-keys]"));
  if (/Mac|iPhone|iPad/.test(navigator.platform)) {
    for (const told of root.querySelectorAll("[data-with-control]")) told.textContent = "⌘ K";
  }
}

function press(event, opening) {
  const act = actionOf(event, opening);
  if (!act || event.target.closest?.(FIELDS) || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  act();
}

function actionOf(event, { palette, keys }) {
  if (event.defaultPrevented || event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === "k" && !event.shiftKey ? palette : null;
  if (stored(OFF)) return null;
  return { "/": palette, "?": keys, j: () => toRow(1), k: () => toRow(-1) }[event.key];
}

/** Focuses the link of the next row or of the one before; the browser opens it on Enter. */
function toRow(step) {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => row.checkVisibility() && linkOf(row));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1);
  if (rows[next]) linkOf(rows[next]).focus();
}

function linkOf(row) {
  return [...row.querySelectorAll("a[href]")].find((link) => link.checkVisibility());
}

function wireChoice(box) {
  box.checked = !stored(OFF);
  box.addEventListener("change", () => {
    try {
      if (box.checked) localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, "yes");
    } catch {
      box.checked = true; // a browser that keeps nothing
    }
  });
}

function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
