// Scripts of every page. Charts and the live page load only on pages that have them.
import { askFirst } from "./app/confirm.js";
import { addCopyButtons, offerCopies } from "./app/copy.js";
import { wireKeys } from "./app/keys.js";
import { walkMarks } from "./app/marks.js";
import { closeMenus } from "./app/menu.js";
import { wirePalette } from "./app/palette.js";
import { preparePaper } from "./app/paper.js";
import { fillParts } from "./app/parts.js";
import { wireSettings } from "./app/settings.js";
import { wireShare } from "./app/share.js";
import { makeSortable } from "./app/sort.js";
import { explainTerms } from "./app/terms.js";
import { wireThemeSwitch } from "./app/theme-switch.js";
import { localTimes } from "./app/times.js";

// The script is asynchronous: the page is ready without it.
if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => setTimeout(enhance));
else enhance();

function enhance() {
  wireThemeSwitch();
  preparePaper(document.documentElement);
  fillParts(document);
  localTimes(document);
  addCopyButtons(document);
  offerCopies(document);
  askFirst(document);
  makeSortable(document);
  explainTerms(document);
  closeMenus(document);
  wireSettings(document);
  wireShare(document);
  wireKeys(document, wirePalette(document));
  walkMarks(document);

  if (document.querySelector("[data-chart], [data-live]")) import("./figures.js");
  if (document.querySelector("[data-plan]")) import("./plan.js");
  if (document.querySelector("[data-schedule]")) import("./schedule.js");
}
