// <table data-sort>: heads become buttons, before terms are explained. Cells compare by data-value, else by text.

export function makeSortable(root) {
  for (const table of root.querySelectorAll("table[data-sort]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.hasAttribute("data-no-sort")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      explainOn(button);
      button.addEventListener("click", () => sort(table, heads, column));
      head.append(button);
      head.setAttribute("aria-sort", "none");
    });
  }
}

/** A button must not contain a focusable element, so the button itself explains its term. */
function explainOn(button) {
  const term = button.querySelector("abbr.term");
  if (!term) return;
  Object.assign(button.dataset, { ...term.dataset });
  button.classList.add("term");
  term.replaceWith(...term.childNodes);
}

function sort(table, heads, column) {
  const rising = heads[column].getAttribute("aria-sort") !== "ascending";
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => compare(value(a, column), value(b, column)) * (rising ? 1 : -1));
  body.append(...rows);
  for (const head of heads) if (head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", "none");
  heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
}

function value(row, column) {
  const cell = row.cells[column];
  return cell?.dataset.value ?? cell?.textContent.trim() ?? "";
}

function compare(a, b) {
  const [x, y] = [a, b].map((text) => Number.parseFloat(text.replaceAll(",", "").replace("−", "-")));
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
}
