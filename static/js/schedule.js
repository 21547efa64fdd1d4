// Preview of the form of a schedule: next runs and length.

const form = document.querySelector("[data-schedule]");
const says = form.querySelector("[data-plan-says]");
let timer = 0;
let asked = 0;

async function look() {
  const turn = ++asked;
  try {
    const response = await fetch(form.dataset.preview, { method: "POST", body: new FormData(form) });
    const html = await response.text();
    if (response.ok && !response.redirected && turn === asked) says.innerHTML = html; // escaped by the server's template
  } catch {
    // Offline: the server says the same when the form is sent.
  }
}

// A new schedule starts with the time zone of the browser.
const zone = form.elements.zone;
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (form.elements.recipe && zone.value === "UTC" && [...zone.list.options].some((option) => option.value === own))
  zone.value = own;

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(look, 400);
});
look();
