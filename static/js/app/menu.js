// Menus made of <details data-menu> close on Escape and on a click elsewhere.

export function closeMenus(root) {
  root.addEventListener("click", (event) => {
    for (const menu of root.querySelectorAll("[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  root.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.("[data-menu][open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
