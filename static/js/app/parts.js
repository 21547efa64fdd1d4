// <details data-part="ADDRESS">: what it holds is loaded when it is opened or printed, from the data-body of that page.
// Readers without scripts follow its link.
import { tryAgain } from "./try-again.js";

/** Charts of a part are drawn once it is "filled": charts.js. */
export function fillParts(root) {
  const parts = [...root.querySelectorAll("details[data-part]")];
  for (const part of parts) {
    const open = () => (part.open ? fill(part) : delete part.dataset.late);
    part.addEventListener("toggle", open);
    open();
  }
  addEventListener("beforeprint", () => {
    for (const part of parts) fillNow(part);
  });
}

async function fill(part) {
  if (part.ariaBusy || !part.dataset.part) return;
  part.ariaBusy = "true";
  part.dataset.late = ""; // it is as high as the window, so that nothing in sight moves when it is filled
  say(part, "Loading the charts.");
  try {
    const answer = await fetch(part.dataset.part);
    put(part, answer.ok && (await answer.text()));
  } catch (error) {
    console.warn(`${part.dataset.part}:`, error);
    if (part.dataset.part) sorry(part);
  }
  part.ariaBusy = null;
}

function sorry(part) {
  const again = tryAgain(() => {
    part.firstElementChild.focus(); // the button goes
    fill(part);
  });
  say(part, "This part could not be loaded. The rest of the page is complete.", again);
}

/** A print does not wait for anything that is not loaded at once. */
function fillNow(part) {
  if (!part.dataset.part) return;
  const request = new XMLHttpRequest();
  request.open("GET", part.dataset.part, false);
  try {
    request.send();
    put(part, request.status === 200 && request.responseText);
  } catch (error) {
    console.warn(`${part.dataset.part}:`, error);
    say(part, "This part could not be loaded.");
  }
}

/** `html` may be another page: that of the login. */
function put(part, html) {
  const body = html && new DOMParser().parseFromString(html, "text/html").querySelector("[data-body]");
  if (!body) throw new Error("the answer is not the part");
  if (!part.dataset.part) return; // a print was faster
  delete part.dataset.part;
  hold(part, ...body.childNodes);
  part.dispatchEvent(new Event("filled", { bubbles: true }));
}

function say(part, words, ...more) {
  const said = document.createElement("p");
  said.role = "status";
  said.append(words, " ", ...more);
  hold(part, said);
}

function hold(part, ...nodes) {
  while (part.lastChild !== part.firstElementChild) part.lastChild.remove();
  part.append(...nodes);
}
