// The row of a setting is one stop of Tab. Arrow keys go from mark to mark in it, and to the rows above and below.

const INSIDE = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
const ROWS = { ArrowDown: 1, ArrowUp: -1 };

export function walkMarks(root) {
  for (const row of root.querySelectorAll("[data-setting]")) {
    stopAt(row, row.querySelector("a"));
    row.addEventListener("focusin", ({ target }) => stopAt(row, target.closest("a")));
    row.addEventListener("keydown", (event) => {
      const next = target(row, event);
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
  }
}

function stopAt(row, stop) {
  for (const one of stop ? row.querySelectorAll("a") : []) one.setAttribute("tabindex", one === stop ? 0 : -1);
}

function target(row, { key, target, altKey, ctrlKey, metaKey }) {
  if (altKey || ctrlKey || metaKey) return null;
  if (key in ROWS)
    return beside([...row.parentElement.querySelectorAll("[data-setting]")], row, ROWS[key])?.querySelector(
      "[tabindex='0']",
    );
  return key in INSIDE ? beside([...row.querySelectorAll("a")], target.closest("a"), INSIDE[key]) : null;
}

function beside(all, one, steps) {
  return all[Math.max(0, Math.min(all.length - 1, all.indexOf(one) + steps))];
}
