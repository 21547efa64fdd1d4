// Tools that need scripts, so scripts add them: linear or log scale, download of the picture.
import { download } from "./png.js";

export function addTools(view) {
  const bar = view.figure.querySelector(".chart-tools") ?? newBar(view);
  if (view.payload.y.can_toggle_log) bar.prepend(scaleSwitch(view));
  const picture = button("PNG", () => download(view));
  picture.dataset.chartPng = "";
  bar.append(picture);
}

function newBar(view) {
  const bar = document.createElement("div");
  bar.className = "chart-tools";
  view.plot.before(bar);
  return bar;
}

function scaleSwitch(view) {
  const group = document.createElement("span");
  group.className = "chart-scale";
  group.role = "group";
  group.setAttribute("aria-label", "Scale of the vertical axis");
  group.append(words());
  const choices = [
    ["linear", false],
    ["log", true],
  ].map(([name, log]) => {
    const choice = button(name, () => {
      view.setLog(log);
      show();
    });
    choice.dataset.chartScale = name;
    group.append(choice);
    return [choice, log];
  });
  const show = () => {
    for (const [choice, log] of choices) choice.setAttribute("aria-pressed", String(view.log === log));
  };
  show();
  return group;
}

function words() {
  const made = document.createElement("span");
  made.className = "axis";
  made.textContent = "y axis";
  return made;
}

function button(words, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", action);
  return made;
}
