// A copy button on every [data-copy] block. Without clipboard access (plain http elsewhere than on this host)
// the text is selected, and the button says which keys copy it.

export function addCopyButtons(root) {
  for (const block of root.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-button";
    button.textContent = "Copy";
    if (block.dataset.copyLabel) button.setAttribute("aria-label", `Copy: ${block.dataset.copyLabel}`);
    button.addEventListener("click", () => copy(block.querySelector("pre, code"), button));
    block.append(button);
  }
}

// A button that copies a hidden text of the page.
export function offerCopies(root) {
  for (const button of root.querySelectorAll("button[data-copies]")) {
    const source = root.querySelector(`#${button.dataset.copies}`);
    button.hidden = false;
    button.addEventListener("click", () => {
      source.hidden = !!navigator.clipboard;
      copy(source, button, `\n${location.href}`);
    });
  }
}

export async function copy(source, button, end = "") {
  try {
    await navigator.clipboard.writeText(source.textContent + end);
    say(button, "Copied");
  } catch {
    getSelection().selectAllChildren(source);
    say(button, "Selected: press Ctrl-C");
  }
}

function say(button, words) {
  const before = button.dataset.words ?? button.textContent;
  button.dataset.words = before;
  button.textContent = words;
  button.setAttribute("aria-live", "polite");
  setTimeout(() => {
    button.textContent = before;
  }, 2500);
}
