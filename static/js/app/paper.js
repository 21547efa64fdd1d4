// Before a page is printed: light colours whatever the theme, charts as wide as paper (static/css/print.css), and the
// date. charts.js draws them after this.

export function preparePaper(root) {
  addEventListener("beforeprint", () => {
    for (const printed of document.querySelectorAll("[data-printed]")) printed.textContent = today();
    root.classList.add("printing");
  });
  addEventListener("afterprint", () => root.classList.remove("printing"));
}

function today() {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" }).format(new Date());
}
