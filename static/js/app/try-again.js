export function tryAgain(action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Try again";
  button.addEventListener("click", action);
  return button;
}
