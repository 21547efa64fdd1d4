// Explanations of terms and marks, on hover, focus and tap: whatever has data-tip. The tip stays while the pointer is on it, so its link can be used,
// and Escape closes it (WCAG 1.4.13). It follows the term in the document, so Tab reaches the link next.

const LEAVE_MS = 250;
let open = null; // {term, tip, leaving, isTapped}

export function explainTerms(root) {
  for (const arrival of ["pointerover", "focusin"]) root.addEventListener(arrival, explain);
  for (const departure of ["pointerout", "focusout"]) root.addEventListener(departure, leftBehind);
  root.addEventListener("click", tapped);
  root.addEventListener("keydown", (event) => event.key === "Escape" && close());
  addEventListener("scroll", close, { passive: true });
}

function explain({ target, pointerType }) {
  const term = target.closest?.("[data-tip]");
  if (term) show(term);
  else if (open?.tip.contains(target)) clearTimeout(open.leaving);
  else if (pointerType === "touch") close();
}

function leftBehind({ target, pointerType }) {
  if (pointerType === "touch") return; // a finger leaves at once
  if (open?.term.contains(target) || open?.tip.contains(target)) leave();
}

/** The first tap on a mark explains it, the second opens it. */
function tapped(event) {
  if (event.pointerType !== "touch" || !open?.term.contains(event.target)) return;
  if (!open.isTapped) event.preventDefault();
  open.isTapped = true;
}

function show(term) {
  if (open?.term === term) return clearTimeout(open.leaving);
  close();
  const tip = makeTip(term);
  (term.ownerSVGElement ?? term).after(tip);
  if (term.dataset.tip) term.setAttribute("aria-describedby", tip.id);
  place(tip, term.getBoundingClientRect());
  open = { term, tip, leaving: 0 };
}

function makeTip(term) {
  const tip = document.createElement("span");
  tip.className = "tip";
  tip.id = "tip";
  tip.role = "tooltip";
  tip.textContent = said(term);
  tip.append(...links(term));
  return tip;
}

/** A mark says its own name. */
function said(term) {
  return term.dataset.tip || term.getAttribute("aria-label");
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
