// Parts that a wide screen shows at once and a phone shows when asked.
const PHONE = "(max-width: 40rem)";

export function foldOnPhones(root) {
  const parts = root.querySelectorAll("details[data-folds]");
  if (!parts.length) return;
  const phone = matchMedia(PHONE);
  const fold = () => {
    for (const part of parts) part.open = !phone.matches;
  };
  phone.addEventListener("change", fold);
  fold();
}
