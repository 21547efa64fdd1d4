// The command palette: what can be done here, pages that this person may open, and servers and experiments by name.
// A combobox with a list: the arrows choose, Enter opens.

const ASK_AFTER_MS = 150; // without a key
const HERE = "main :is(.actions, .acts) a[href]";

/** Returns what opens it; undefined on pages without one. */
export function wirePalette(root) {
  const dialog = root.querySelector("#palette");
  if (!dialog) return undefined;
  const field = dialog.querySelector("input");
  field.addEventListener("input", () => show(dialog, field.value));
  field.addEventListener("keydown", (event) => move(event, dialog));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return () => open(root, dialog, field);
}

function open(root, dialog, field) {
  fill(dialog, "here", actionsOf(root));
  field.value = "";
  dialog.showModal();
  show(dialog, "");
}

/** The links of the page's own buttons and menu; the page offers only what its reader may do. */
function actionsOf(root) {
  const links = [...root.querySelectorAll(HERE)].map((link) => ({ name: link.textContent.trim(), to: link.href }));
  return links.filter(({ name }) => name);
}

function show(dialog, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  fill(dialog, "servers", []);
  fill(dialog, "experiments", []);
  for (const option of dialog.querySelectorAll("[role=option]")) option.hidden = !fits(option, words);
  aim(dialog.querySelector("[data-search]"), text.trim());
  settle(dialog);
  ask(dialog, text.trim());
}

function fits(option, words) {
  const known = `${option.textContent} ${option.dataset.words ?? ""}`.toLowerCase();
  return words.every((word) => known.includes(word));
}

function aim(search, text) {
  search.hidden = !text;
  search.href = search.dataset.search + encodeURIComponent(text);
}

/** Asks the server once nothing was typed for a moment. An answer to older words is dropped. */
let asked = new AbortController();
function ask(dialog, text) {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  if (text) setTimeout(() => signal.aborted || find(dialog, text, signal), ASK_AFTER_MS);
}

async function find(dialog, text, signal) {
  try {
    const answer = await fetch(`${dialog.dataset.find}?words=${encodeURIComponent(text)}`, { signal });
    if (!answer.ok || answer.redirected) return; // logged out meanwhile: the pages stay
    const found = await answer.json();
    if (signal.aborted) return;
    for (const kind of ["servers", "experiments"]) fill(dialog, kind, found[kind]);
    settle(dialog);
  } catch {
    // the network failed, or the words changed
  }
}

function fill(dialog, kind, found) {
  dialog.querySelector(`[data-of=${kind}]`).replaceChildren(...found.map(optionOf));
}

function optionOf({ name, says, to }) {
  const option = document.createElement("a");
  Object.assign(option, { role: "option", href: to, tabIndex: -1, textContent: name });
  if (!says) return option;
  const more = document.createElement("small");
  more.textContent = says;
  option.append(" ", more);
  return option;
}

/** Hides empty groups, keeps the choice or takes the first, and tells how many there are. */
function settle(dialog) {
  for (const group of dialog.querySelectorAll("[role=group]")) {
    group.hidden = !group.querySelector("[role=option]:not([hidden])");
  }
  const options = shown(dialog);
  for (const [nth, option] of options.entries()) option.id = `option-${nth}`;
  choose(dialog, chosen(options) ?? options[0]);
  dialog.querySelector("[role=status]").textContent = `${options.length} found`;
}

function shown(dialog) {
  return [...dialog.querySelectorAll("[role=option]:not([hidden])")];
}

function chosen(options) {
  return options.find((option) => option.ariaSelected === "true");
}

function choose(dialog, option) {
  for (const one of dialog.querySelectorAll("[role=option]")) one.ariaSelected = String(one === option);
  const field = dialog.querySelector("input");
  if (!option) return field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function move(event, dialog) {
  const options = shown(dialog);
  const at = options.indexOf(chosen(options));
  if (event.key === "ArrowDown") choose(dialog, options[(at + 1) % options.length]);
  else if (event.key === "ArrowUp") choose(dialog, options.at(at - 1));
  else if (event.key === "Enter") options[at]?.click();
  else return;
  event.preventDefault();
}
