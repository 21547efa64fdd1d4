// <figure data-keeps>: the page's address says its scale and which points are hidden, so that it can be passed on. Forms
// and links with data-here take that along; data-here="by=threads" says what is different there, data-takes-out="2" which
// point is not there.

export function keepInAddress({ figure, payload, log, hidden }) {
  if (figure.dataset.keeps === undefined) return;
  const address = new URL(location.href);
  const points = [...hidden].flatMap((index) => payload.points_of[index]);
  const state = { scale: log ? "log" : "linear", hide: listed(points) };
  for (const [name, value] of Object.entries(state)) address.searchParams.set(name, value);
  history.replaceState(history.state, "", readable(address.search));
  for (const form of document.querySelectorAll("form[data-here]")) carry(form, state);
  for (const link of document.querySelectorAll("a[data-here]")) {
    address.searchParams.set("hide", listed(without(points, Number(link.dataset.takesOut ?? NaN))));
    link.search = merged(address.searchParams, link.dataset.here);
  }
}

/** Points after the removed point move up; NaN removes none. */
function without(points, taken) {
  return points.filter((point) => point !== taken).map((point) => (point > taken ? point - 1 : point));
}

function listed(points) {
  return [...points].sort((a, b) => a - b).join(",");
}

function carry(form, state) {
  for (const [name, value] of Object.entries(state)) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
}

function merged(said, other) {
  const all = new URLSearchParams(said);
  for (const [name, value] of new URLSearchParams(other)) all.set(name, value);
  return readable(`?${all}`);
}

/** A comma needs no escape in a query. */
function readable(query) {
  return query.replaceAll("%2C", ",");
}
