// Explanations of terms, on hover and focus. The tip stays while the pointer is on it, so its link can be used,
// and Escape closes it (WCAG 1.4.13). It follows the term in the document, so Tab reaches the link next.

const LEAVE_MS = 250;
let open = null; // {term, tip, leaving}

export function explainTerms(root) {
  for (const term of root.querySelectorAll(".term[data-tip]")) {
    term.addEventListener("pointerenter", () => show(term));
    term.addEventListener("focus", () => show(term));
    term.addEventListener("pointerleave", leave);
    term.addEventListener("blur", leave);
  }
  root.addEventListener("keydown", (event) => event.key === "Escape" && close());
  addEventListener("scroll", close, { passive: true });
}

function show(term) {
  if (open?.term === term) return clearTimeout(open.leaving);
  close();
  const tip = makeTip(term);
  term.after(tip);
  term.setAttribute("aria-describedby", tip.id);
  place(tip, term.getBoundingClientRect());
  open = { term, tip, leaving: 0 };
}

function makeTip(term) {
  const tip = document.createElement("span");
  tip.className = "tip";
  tip.id = "tip";
  tip.role = "tooltip";
  tip.textContent = term.dataset.tip;
  tip.append(...links(term));
  tip.addEventListener("pointerenter", () => clearTimeout(open?.leaving));
  tip.addEventListener("focusin", () => clearTimeout(open?.leaving));
  tip.addEventListener("pointerleave", leave);
  tip.addEventListener("focusout", leave);
  return tip;
}

/** To the manuals: `MariaDB https://… MySQL https://…`. */
function links(term) {
  return [...(term.dataset.links ?? "").matchAll(/(\S+) (\S+)/g)].map(([, whose, page]) => {
    const link = document.createElement("a");
    Object.assign(link, { href: page, rel: "noopener noreferrer", textContent: `In ${whose}’s manual` });
    return link;
  });
}

/** Below the term, or above without room below; always inside the window. */
function place(tip, at) {
  const { width, height } = tip.getBoundingClientRect();
  const below = at.bottom + 6 + height < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  tip.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - height - 6)}px`;
}

function leave() {
  if (!open) return;
  clearTimeout(open.leaving);
  open.leaving = setTimeout(close, LEAVE_MS);
}

function close() {
  if (!open) return;
  clearTimeout(open.leaving);
  open.term.removeAttribute("aria-describedby");
  open.tip.remove();
  open = null;
}
