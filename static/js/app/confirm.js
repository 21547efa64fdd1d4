// <form data-confirm="What happens, and what stays">: a dialog asks before the form is sent. data-confirm-button and
// data-confirm-keep name its two answers.

export function askFirst(root) {
  root.addEventListener("submit", async (event) => {
    const form = event.target;
    const words = event.submitter?.dataset.confirm ?? form.dataset.confirm;
    if (!words || form.dataset.confirmed) return;
    event.preventDefault();
    const submitter = event.submitter;
    const action = submitter?.dataset.confirmButton ?? form.dataset.confirmButton ?? submitter?.textContent.trim();
    const keep = event.submitter?.dataset.confirmKeep ?? form.dataset.confirmKeep ?? "Leave it";
    if (!(await ask(words, action || "Go on", keep))) return;
    form.dataset.confirmed = "yes";
    form.requestSubmit(submitter);
    delete form.dataset.confirmed;
  });
}

/** Resolves to true when the reader agreed; Escape and the other button mean no. */
function ask(words, action, keep) {
  const dialog = document.createElement("dialog");
  const text = document.createElement("p");
  text.textContent = words;
  const answers = document.createElement("form");
  answers.method = "dialog";
  answers.className = "row dialog-answers";
  answers.append(answer(keep, "no", "button"), answer(action, "yes", "button danger"));
  dialog.append(text, answers);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

function answer(words, value, look) {
  const button = document.createElement("button");
  button.className = look;
  button.value = value;
  button.textContent = words;
  return button;
}
