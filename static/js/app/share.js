// The popover of Share: one click makes a link and copies it. The address is shown here once.
import { copy } from "./copy.js";

export function wireShare(root) {
  for (const opener of root.querySelectorAll("[data-share]")) {
    const popover = root.querySelector(`#${opener.dataset.share}`);
    if (popover?.showPopover) open(opener, popover);
  }
}

function open(opener, popover) {
  opener.setAttribute("role", "button");
  opener.setAttribute("aria-haspopup", "dialog");
  opener.setAttribute("aria-expanded", "false");
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    popover.togglePopover();
  });
  opener.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    opener.click();
  });
  popover.addEventListener("toggle", ({ newState }) => {
    opener.setAttribute("aria-expanded", String(newState === "open"));
    if (newState === "open") place(opener, popover);
  });
  popover.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    make(event.target, popover);
  });
}

/** Below the button, inside the window. */
function place(opener, popover) {
  const below = opener.getBoundingClientRect();
  popover.style.top = `${below.bottom + 6}px`;
  popover.style.left = `${Math.max(8, Math.min(below.left, innerWidth - popover.offsetWidth - 8))}px`;
  popover.querySelector("button").focus();
}

async function make(form, popover) {
  const button = form.querySelector("button");
  const status = popover.querySelector("[role=status]");
  const shown = popover.querySelector("pre");
  if (button.disabled) return;
  if (!shown.hidden) {
    await copy(shown, button);
    return;
  }
  button.disabled = true;
  try {
    const headers = { Accept: "application/json" };
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers });
    if (!answer.ok) throw new Error(answer.statusText);
    shown.textContent = (await answer.json()).address;
    shown.hidden = false;
    status.textContent = "The link is made. It is not shown again.";
    button.disabled = false;
    button.focus();
    await copy(shown, button);
  } catch {
    status.textContent = "No link was made. Reload the page and try again.";
    button.disabled = false;
  }
}
