// Shows on the page why a passkey failed; the script of allauth writes that only to the console.
const REASONS = {
  NotAllowedError: "No passkey was used: the browser was stopped, or took too long. Try again.",
  InvalidStateError: "This key is already registered for this account.",
  SecurityError: "The browser allows passkeys only over HTTPS, or on localhost.",
};

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const problem = document.querySelector("[data-passkey-problem]");
  const { name, message } = event.detail.exception;
  problem.textContent = REASONS[name] ?? `The passkey did not work: ${message}`;
  problem.hidden = false;
  problem.setAttribute("role", "alert");
});
