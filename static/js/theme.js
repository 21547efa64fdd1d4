// Runs before the first paint, so that the other theme does not flash. A browser can refuse storage.
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // the system's choice holds
  }
})();
