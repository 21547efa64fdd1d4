// Fills the data-live-* elements of the page.
import { number, withUnit } from "../charts/numbers.js";

export function fill(section, state) {
  const cell = state.cell ?? {};
  const [, tps, p95] = latest(state);
  const words = {
    activity: state.activity || state.state,
    count: `${number(state.done)} of ${number(state.total)}`,
    failed: state.failed ? `${number(state.failed)} failed` : "",
    left: Number.isFinite(state.left_s) ? `${state.left_is_least ? "at least " : ""}${people(state.left_s)} left` : "",
    variant: cell.variant ?? "–",
    workload: cell.workload ?? "–",
    threads: cell.threads === undefined ? "–" : String(cell.threads),
    repeat: cell.repeat === undefined ? "–" : String(cell.repeat),
    tps: tps === undefined ? "–" : withUnit(Math.round(tps), "/s"),
    p95: p95 == null ? "–" : withUnit(p95, "ms"),
    message: state.message ?? "",
    stopping: state.stopping ?? "",
    warming: state.warming ? "warming up, not counted" : "",
  };
  for (const [name, text] of Object.entries(words)) write(section, name, text);
  for (const note of section.querySelectorAll("[data-live-stopping]")) note.hidden = !state.stopping;
  for (const form of document.querySelectorAll("[data-live-stop]")) form.hidden = Boolean(state.stopping);
  section.toggleAttribute("data-crashing", Boolean(state.crashing));
  for (const [n, crash] of section.querySelectorAll("[data-live-crash]").entries()) {
    const { words: text, tone } = state.crashes?.[n] ?? { words: "", tone: "" };
    if (crash.textContent !== text) Object.assign(crash, { textContent: text, className: `crash-cell ${tone}` });
  }
  const bar = section.querySelector("progress[data-live-progress], [data-live-progress] progress");
  if (bar) Object.assign(bar, { max: Math.max(1, state.total), value: state.done });
}

export function tell(section, words) {
  write(section, "link", words);
}

/** The last second as [t_s, tps, p95_ms]; the worker sends seconds as such rows or as objects. */
export function second(row) {
  return Array.isArray(row) ? row : [row.t_s, row.tps, row.p95_ms];
}

function latest(state) {
  return state.seconds?.length ? second(state.seconds.at(-1)) : [];
}

function write(section, name, text) {
  for (const element of section.querySelectorAll(`[data-live-${name}]`)) {
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Time left, rounded so that it does not jump. */
function people(seconds) {
  if (seconds < 5) return "a few seconds";
  if (seconds < 90) return `${Math.ceil(seconds / 5) * 5} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
