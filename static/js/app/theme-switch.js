// System, light or dark. js/theme.js applied the stored choice before the first paint.

const root = document.documentElement;

export function wireThemeSwitch() {
  for (const group of document.querySelectorAll("[data-theme-switch]")) {
    group.addEventListener("click", (event) => {
      const button = event.target.closest("[data-theme-choice]");
      if (button) choose(button.dataset.themeChoice);
    });
  }
  show();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);
}

function choose(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  store(theme);
  show();
  announce();
}

function store(theme) {
  try {
    if (theme === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // a browser that keeps nothing: the choice holds for this page
  }
}

function show() {
  const chosen = root.dataset.theme ?? "system";
  for (const button of document.querySelectorAll("[data-theme-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen));
  }
}

/** Canvases do not follow CSS by themselves: charts listen for this. */
function announce() {
  document.dispatchEvent(new Event("themechange"));
}
