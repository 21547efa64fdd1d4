// <time datetime="…Z"> in the reader's zone, UTC on hover. data-time: "date", "ago", or empty for date and time.

const LOOKS = {
  full: { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  date: { year: "numeric", month: "short", day: "numeric" },
};
const STEPS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

export function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = text(moment, element.dataset.time);
    element.title = `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }
}

function text(moment, look) {
  if (look === "ago") return ago((moment - Date.now()) / 1000);
  return new Intl.DateTimeFormat("en-GB", LOOKS[look] ?? LOOKS.full).format(moment);
}

function ago(seconds) {
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? STEPS.at(-1);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}
