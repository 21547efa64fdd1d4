// Preview of the form of a plan: number of measurements, length, refusals.

const form = document.querySelector("[data-plan]");
const says = form.querySelector("[data-plan-says]");
const present = JSON.parse(document.getElementById("present").textContent); // server id -> its pair
const NO_CRASH =
  'No crashes are planned: the result will not say what is lost. To add some, set the number of trials under "Crashes".';
const BROKEN = "The preview could not be worked out. Start checks the plan again; nothing starts if it cannot run.";
const own = form.querySelector("[data-own-shown]"); // the statements of an own transaction with example values
const ownFile = form.querySelector("[data-own-file]");
const MOST_OWN = 20_000; // characters; the server refuses more than it reads
let timer = 0;
let asked = 0;

function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes`;
  return `${(seconds / 3600).toFixed(1)} hours`;
}

function line(text) {
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  return paragraph;
}

function show(answer) {
  for (const [key, words] of Object.entries(answer.summaries)) {
    const place = form.querySelector(`[data-plan-summary="${key}"]`);
    if (place) place.textContent = words; // a group that no server here needs is left out
  }
  const refused = answer.refusals.map((reason) => line(reason));
  const head = refused.length
    ? line("This plan cannot run yet:")
    : line(
        `${answer.cells} measurements${answer.trials ? ` and ${answer.trials} crash trials` : ""}, about ${duration(answer.estimate_s)} in all.`,
      );
  const product = !refused.length && answer.product ? [line(`Measurements: ${answer.product}.`)] : [];
  const speedOnly = !refused.length && !answer.trials ? [line(NO_CRASH)] : [];
  own.hidden = !answer.own;
  own.textContent = answer.own ?? "";
  const written = (answer.written ?? []).map((estimate) => line(estimate));
  const notes = (answer.notes ?? []).map((note) => line(note));
  says.replaceChildren(head, ...product, ...notes, ...written, ...speedOnly, ...refused);
  says.classList.toggle("warned", refused.length + notes.length > 0);
}

/** An old preview must not stand beside new values. */
function showBroken() {
  own.hidden = true;
  says.replaceChildren(line(BROKEN));
  says.classList.add("warned");
}

async function review() {
  const turn = ++asked;
  try {
    const response = await fetch(form.dataset.review, { method: "POST", body: new FormData(form) });
    if (!response.ok) throw new Error(response.statusText);
    const answer = await response.json();
    if (turn === asked) show(answer);
  } catch {
    if (turn === asked) showBroken();
  }
}

/** Marks the pairs that the chosen servers have now. */
function markYours() {
  const servers = form.querySelectorAll("[name=servers]:checked");
  const yours = new Set(Array.from(servers, (server) => present[server.value]));
  for (const mark of form.querySelectorAll("[data-yours]")) mark.hidden = !yours.has(mark.dataset.yours);
}

/** A server that is ticked has its present pair ticked, too. */
form.addEventListener("change", ({ target }) => {
  if (target.name !== "servers") return;
  markYours();
  const pair = target.checked && present[target.value];
  if (pair) form.querySelector(`[name=variants][value="${pair}"]`).checked = true;
});
/** A setting that is no longer ticked cannot be the one that the headline compares. */
form.addEventListener("change", ({ target }) => {
  const headline = form.elements.main_variant;
  if (target.name === "variants" && !target.checked && headline.value === target.value) headline.value = "";
});
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(review, 400);
});
ownFile.hidden = false;
ownFile.addEventListener("change", async ({ target }) => {
  const text = await target.files[0]?.slice(0, MOST_OWN).text();
  form.elements.own_transaction.value = text ?? "";
  review();
});
review();
markYours();
