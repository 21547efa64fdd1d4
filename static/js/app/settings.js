// The marks of a setting, on all pictures of a page: hover or focus of one dims the others. The number of clients of the
// speed bars changes without a reload.

export function wireSettings(root) {
  for (const one of root.querySelectorAll("[data-setting]")) {
    one.addEventListener("pointerenter", () => light(root, one.dataset.setting));
    one.addEventListener("pointerleave", () => light(root, null));
    one.addEventListener("focusin", () => light(root, one.dataset.setting));
    one.addEventListener("focusout", () => light(root, null));
  }
  root.addEventListener("click", (event) => {
    const chosen = event.target.closest?.(".segments a[data-at]");
    if (!chosen) return;
    event.preventDefault();
    show(chosen);
  });
}

function light(root, setting) {
  const main = root.querySelector("main");
  main?.classList.toggle("dimming", setting !== null);
  for (const one of root.querySelectorAll("[data-setting]")) {
    one.classList.toggle("lit", one.dataset.setting === setting);
  }
}

function show(chosen) {
  const table = chosen.closest("table");
  for (const one of chosen.parentElement.children) one.toggleAttribute("aria-current", false);
  chosen.setAttribute("aria-current", "true");
  for (const one of table.querySelectorAll("td [data-at]")) one.hidden = one.dataset.at !== chosen.dataset.at;
}
