// Shows the result of a connection test as soon as it is stored. Without scripts: reload the page.

const EVERY_MS = 1000;
const shown = document.querySelector("[data-preflight]");

async function look() {
  try {
    const answer = await fetch(shown.dataset.preflight, { headers: { Accept: "application/json" } });
    if (answer.redirected || answer.status === 404) return location.reload(); // logged out, or deleted meanwhile
    if (answer.ok) {
      const { state, html } = await answer.json();
      if (state === "done") return location.reload(); // the facts above changed too
      if (shown.dataset.state !== state) shown.innerHTML = html; // escaped by the server's template
      shown.dataset.state = state;
    }
  } catch {
    // The web server restarts: ask again.
  }
  setTimeout(look, EVERY_MS);
}

if (shown) look();
