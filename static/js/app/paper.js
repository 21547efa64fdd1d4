// Before a page is printed: light colours whatever the theme, charts as wide as paper (static/css/print.css), folded
// parts opened, and the date. charts.js draws the charts after this.

export function preparePaper(root) {
  let opened = [];
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
  addEventListener("beforeprint", () => {
    for (const printed of document.querySelectorAll("[data-printed]")) printed.textContent = today();
    opened = [...document.querySelectorAll("details:is(.part, .fold):not([open])")];
    for (const part of opened) part.open = true;
    root.classList.add("printing");
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    root.classList.remove("printing");
  });
}

function today() {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" }).format(new Date());
}
