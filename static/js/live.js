// The page of a running experiment: <section data-live data-poll="URL">. docs/contributing/look.md names the
// data-live-* elements that are filled, and what the server sends.
import { Curve } from "./live/curve.js";
import { fill, tell } from "./live/page.js";
import { Seconds } from "./live/seconds.js";
import { listen } from "./live/source.js";

const UNSEEN_MS = 3000; // over before the page saw it run: a page that still follows must not reload in a circle

for (const section of document.querySelectorAll("[data-live]")) follow(section);

function follow(section) {
  const plot = section.querySelector("[data-live-plot]");
  const curve = plot && new Curve(plot);
  const seconds = new Seconds();
  let sawItRun = false;
  const finish = () => {
    source.stop();
    setTimeout(() => location.reload(), sawItRun ? 0 : UNSEEN_MS);
  };
  const source = listen(section.dataset.poll, {
    have: () => seconds.have(),
    onState: (news) => {
      const state = seconds.whole(news);
      fill(section, state);
      curve?.show(state);
      if (state.over) finish();
      sawItRun = true;
    },
    onLink: (words) => tell(section, words),
    onStranger: () => location.reload(), // logged out meanwhile: the reload shows the login page
  });
  addEventListener("pagehide", () => source.stop());
}
