// Axes from a payload: log2 with the measured thread counts as ticks, decades, or linear from zero.
import { dateTicks, day } from "./dates.js";
import { hasInterval, tick } from "./numbers.js";
import { riskTicks } from "./risk-axis.js";

const MANY_TICKS = 9;
const ROOM = 96; // pixels beside the name of the x axis: the ticks of the other axis, and padding

/** All numbers on an axis; for y with the ends of the intervals. */
export function extent(payload, hidden) {
  const points = payload.series.filter((_, index) => !hidden.has(index)).flatMap((series) => series.points);
  const ys = points.flatMap((point) => (hasInterval(point) ? [point.lo, point.y, point.hi] : [point.y]));
  const finite = (values) => values.filter((value) => typeof value === "number" && Number.isFinite(value));
  return { xs: [...new Set(finite(points.map((point) => point.x)))].sort((a, b) => a - b), ys: finite(ys) };
}

export function xAxis(payload, kind, categories, xs, colours, risk) {
  const shared = { ...skin(colours), title: name(payload.x, colours), grid: { display: false } };
  if (categories)
    return { ...shared, type: "category", labels: categories, offset: kind.type === "bar" || categories.length < 12 };
  const ticks = { ...shared.ticks, maxTicksLimit: MANY_TICKS, callback: (value) => tick(value, payload.x.unit) };
  if (risk) {
    const title = name({ label: `${payload.x.label} (log scale)` }, colours);
    return riskAxis({ ...shared, title }, ticks, risk);
  }
  if (payload.x.scale === "linear") return { ...shared, type: "linear", ...bounds(xs), ticks };
  if (payload.x.scale === "date") return dateAxis(shared, xs);
  const log2 = payload.x.scale === "log2";
  const room = breathing(xs, kind.marks ? 1.12 : 1);
  return { ...shared, type: "logarithmic", ...room, ticks, afterBuildTicks: ticksAt(log2 ? octaves(xs) : decades(xs)) };
}

export function yAxis(payload, kind, log, ys, colours) {
  const shared = { ...skin(colours), border: { display: false }, grid: { color: colours.line, drawTicks: false } };
  const ticks = { ...shared.ticks, maxTicksLimit: 7, padding: 8, callback: (value) => tick(value, payload.y.unit) };
  const values = kind.reference === null ? ys : [...ys, kind.reference];
  if (!log) {
    const most = kind.stacked ? undefined : Math.max(0, ...values);
    return { ...shared, type: "linear", beginAtZero: true, suggestedMax: most, stacked: kind.stacked, ticks };
  }
  const positive = values.filter((value) => value > 0).sort((a, b) => a - b);
  return {
    ...shared,
    type: "logarithmic",
    ...breathing(positive, kind.type === "scatter" ? 1.6 : 1.15),
    ticks,
    afterBuildTicks: ticksAt(decades(positive, kind.type === "scatter" ? 2 : 3)),
  };
}

function riskAxis(shared, ticks, risk) {
  const { min, max, zero } = risk;
  const callback = (value) => (value === zero ? "none" : tick(value));
  return {
    ...shared,
    type: "logarithmic",
    min,
    max,
    ticks: { ...ticks, callback },
    afterBuildTicks: ticksAt(riskTicks(risk)),
  };
}

function dateAxis(shared, xs) {
  const [first, last] = [xs[0], xs.at(-1)];
  const room = first === last ? 43_200_000 : (last - first) / 100; // half a day around a single night
  const ends = xs.length ? { min: first - room, max: last + room } : {};
  return {
    ...shared,
    type: "linear",
    ...ends,
    ticks: { ...shared.ticks, callback: (value) => day(value) },
    afterBuildTicks: ticksAt(dateTicks(first, last)),
  };
}

function skin(colours) {
  return {
    border: { color: colours["line-strong"] },
    ticks: { color: colours["ink-soft"], maxRotation: 0, autoSkipPadding: 10 },
  };
}

function name(axis, colours) {
  const text = named(axis);
  const fitting = ({ chart }) => lines(text, chart);
  return { display: Boolean(text), text: fitting, align: "end", color: colours["ink-soft"], padding: { top: 2 } };
}

/** Chart.js would squeeze a name that is wider than its axis. */
function lines(text, { ctx, width, data }) {
  ctx.save();
  ctx.font = `12px ${data.given.colours.font}`;
  const found = [];
  for (const word of text.split(" ")) {
    const longer = `${found.at(-1)} ${word}`;
    if (found.length && ctx.measureText(longer).width < width - ROOM) found[found.length - 1] = longer;
    else found.push(word);
  }
  ctx.restore();
  return found;
}

/** "fsync latency (µs)"; signs and bytes are read off the ticks. */
export function named({ label, unit }) {
  if (!unit || /^[/×B]/.test(unit)) return label;
  return label ? `${label} (${unit})` : unit;
}

function bounds(values) {
  return values.length ? { min: Math.min(0, values[0]), max: values.at(-1) } : {};
}

/** Room around the outermost points of a log axis, as a factor. */
function breathing(sorted, factor) {
  const positive = sorted.filter((value) => value > 0);
  if (!positive.length) return {};
  const [low, high] = [positive[0], positive.at(-1)];
  const spread = low === high ? 2 : factor;
  return { min: low / spread, max: high * spread };
}

function ticksAt(values) {
  return (scale) => {
    const shown = values.filter((value) => value >= scale.min * 0.999 && value <= scale.max * 1.001);
    if (shown.length) scale.ticks = shown.map((value) => ({ value }));
  };
}

/** The measured thread counts if there are few, else powers of two. */
function octaves(xs) {
  if (xs.length <= MANY_TICKS) return xs;
  const first = Math.floor(Math.log2(xs[0]));
  return Array.from({ length: Math.ceil(Math.log2(xs.at(-1))) - first + 1 }, (_, step) => 2 ** (first + step));
}

/** 1-2-5 over a few decades, 1-10-100 over many. */
function decades(sorted, few = 3) {
  const positive = sorted.filter((value) => value > 0);
  if (!positive.length) return [];
  const [first, last] = [Math.floor(Math.log10(positive[0])), Math.ceil(Math.log10(positive.at(-1)))];
  const steps = last - first > few ? [1] : [1, 2, 5];
  const ticks = [];
  for (let power = first; power <= last; power += 1) ticks.push(...steps.map((step) => step * 10 ** power));
  return ticks;
}
