// <figure data-keeps>: the page's address says its scale and which series are hidden, so that it can be passed on. Forms
// and links with data-here take that along; data-here="by=threads&hide=" says what is different there.

export function keepInAddress({ figure, log, hidden }) {
  if (figure.dataset.keeps === undefined) return;
  const address = new URL(location.href);
  const state = { scale: log ? "log" : "linear", hide: [...hidden].sort((a, b) => a - b).join(",") };
  for (const [name, value] of Object.entries(state)) address.searchParams.set(name, value);
  history.replaceState(history.state, "", readable(address.search));
  for (const form of document.querySelectorAll("form[data-here]")) carry(form, state);
  for (const link of document.querySelectorAll("a[data-here]")) link.search = merged(address.searchParams, link.dataset.here);
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
