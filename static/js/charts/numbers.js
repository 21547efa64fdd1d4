// Numbers as the tables write them: four significant digits, whole numbers whole, thousands separated.

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const large = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return (Math.abs(value) >= 1000 ? whole : exact).format(value).replace("-", "−");
}

/** With its unit: "/s" and "×" stand close, words after a space, bytes as KiB and so on. */
export function withUnit(value, unit = "") {
  if (!unit || !Number.isFinite(value)) return number(value);
  if (unit === "B") return bytes(value);
  return number(value) + (/^[/×%]/.test(unit) ? "" : "\u00a0") + unit;
}

function bytes(value) {
  const step = value < 1024 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), BYTES.length - 1);
  return `${exact.format(value / 1024 ** step)}\u00a0${BYTES[step]}`;
}

/** Short for axes: 1,200,000 is 1.2M. */
export function tick(value, unit = "") {
  if (unit === "B") return bytes(value);
  return Math.abs(value) >= 1e6 ? large.format(value) : exact.format(value);
}

/** The text of a point, with its 95 % interval if known. */
export function reading(point, unit) {
  const value = withUnit(point.y, unit);
  if (!hasInterval(point)) return value;
  return `${value} (95\u00a0%: ${number(point.lo)} to ${number(point.hi)})`;
}

export function hasInterval(point) {
  return Number.isFinite(point?.lo) && Number.isFinite(point?.hi);
}
