// The marks of a setting, on all pictures of a page: hover or focus of one dims the others.

export function wireSettings(root) {
  for (const one of root.querySelectorAll("[data-setting]")) {
    one.addEventListener("pointerenter", () => light(root, one.dataset.setting));
    one.addEventListener("pointerleave", () => light(root, null));
    one.addEventListener("focusin", () => light(root, one.dataset.setting));
    one.addEventListener("focusout", () => light(root, null));
  }
}

function light(root, setting) {
  const main = root.querySelector("main");
  main?.classList.toggle("dimming", setting !== null);
  for (const one of root.querySelectorAll("[data-setting]")) {
    one.classList.toggle("lit", one.dataset.setting === setting);
  }
}
