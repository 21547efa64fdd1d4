// Days on an axis, in UTC as in the tables.

const DAY = 86_400_000;
const STEPS = [1, 2, 7, 14, 28, 91, 182, 364, 728, 3640];
const MOST = 8;
const written = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** 21 Mar 2026 */
export function day(value) {
  return written.format(new Date(value));
}

/** Midnights, a few of them: whole weeks where there are many days. */
export function dateTicks(first, last) {
  if (!Number.isFinite(first)) return [];
  const days = Math.max((last - first) / DAY, 1);
  const step = (STEPS.find((one) => days / one <= MOST) ?? STEPS.at(-1)) * DAY;
  const begin = Math.ceil(first / DAY) * DAY;
  const ticks = Array.from({ length: Math.floor(Math.max(last - begin, 0) / step) + 1 }, (_, n) => begin + n * step);
  return begin > last ? [first] : ticks;
}
