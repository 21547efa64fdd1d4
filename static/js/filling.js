// Fills a page while something on it is under way: its parts ([data-filled]) are fetched anew until none is
// [data-waiting] (seconds between two looks). What a person is using now stays as it is. Without scripts: the page says that it can be loaded again.

const SHARE = 4; // the web server rests so many times as long as it worked

const pause_ms = () => 1000 * document.querySelector("[data-waiting]")?.dataset.waiting;

async function look() {
  const began = performance.now();
  try {
    const answer = await fetch(location.href);
    if (answer.redirected) return location.reload(); // logged out
    if (answer.ok) fill(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // The web server restarts: ask again.
  }
  if (pause_ms()) setTimeout(look, Math.max(pause_ms(), SHARE * (performance.now() - began)));
}

function fill(page) {
  for (const part of document.querySelectorAll("[data-filled]")) {
    const fresh = page.querySelector(`[data-filled="${part.dataset.filled}"]`);
    if (!fresh || part.outerHTML === fresh.outerHTML) continue;
    if (part.contains(document.activeElement) && document.activeElement.matches("select, input, textarea")) continue;
    part.replaceWith(document.adoptNode(fresh)); // escaped by the server's template
  }
}

if (pause_ms()) setTimeout(look, pause_ms());
