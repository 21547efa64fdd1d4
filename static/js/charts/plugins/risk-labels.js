// Where names stand: beside their point where there is room, else further away; never over a point, an error bar or
// another name, and no line of a label nearer to another point than the label is to its own.

import { RADIUS } from "../risk-marks.js";

const LINE = 16;
const GAP = 6;
const FURTHER = [14, 28]; // pixels between a point and its label, where none is free beside the point
const FREE = 1; // square pixels that rounding may leave covered
const GRID = 4; // pixels between the places that are tried in the whole plot
const AWAY = 0.6; // cost of each such pixel
const NEARER = 10; // pixels by which each line of a label is nearer to its own point than to any other
const CLEAR = 40; // pixels between a second line and any other point, where that point's name could stand
const BETWEEN = 12; // pixels between two labels, which would be read as one sentence
const STRAY = 40; // cost of each pixel that is missing from NEARER or CLEAR
const WIDEST = 0.55; // of the plot, for a name
const OVER = 1e5; // cost of covering anything

/** [{lines: [{text, font, width}], left, top, width, height, align, away, covered: pixels of points, error bars, names and
 *  margins, stray: pixels by which a line is too near to another point}]. Every label has its second line, or none has: a
 *  single one would look like a remark on all. `bars`: boxes around lines. */
export function placed(context, area, points, bars, radius, family) {
  const named = points.map((point) => fitting(context, name(point, family), (area.right - area.left) * WIDEST));
  const titles = named.map((title) => sized(context, [title]));
  const notes = points.map((point, nth) => sized(context, [named[nth], note(point, family)]));
  const whole = layout(notes, area, points, bars, radius);
  return whole.every(isFree) ? whole : layout(titles, area, points, bars, radius);
}

function layout(sizes, area, points, bars, radius) {
  const marks = points.map(({ x, y, mine }) => box(x, y, 2 * radius + (mine ? 10 : 2)));
  const labels = [];
  for (const [nth, point] of points.entries()) {
    const hard = [...marks, ...bars, ...labels.map(withRoom)];
    const beside = (away) => places(point, sizes[nth], radius + (point.mine ? 5 : 0), away);
    const tried = [() => beside(0), () => FURTHER.flatMap(beside), () => everywhere(point, sizes[nth], area)];
    const others = points.filter((other) => other !== point);
    labels.push(firstFree(tried, (candidates) => best(candidates, hard, area, point, others)));
  }
  inOrder(labels, points);
  return labels;
}

/** Names of dots that cover each other stand in the order of the dots, if no name is then nearer to a third dot. */
function inOrder(labels, points) {
  for (const [nth, one] of labels.entries()) {
    for (const [more, other] of labels.slice(nth + 1).entries()) {
      const [a, b] = [points[nth], points[nth + 1 + more]];
      const touch = Math.hypot(a.x - b.x, a.y - b.y) <= RADIUS;
      if (!touch || (a.y - b.y) * (one.top - other.top) >= 0) continue;
      const keeps = (label, own) => points.every((point) => point === own || strayed(label, own, point) <= 0);
      const [moved, back] = [other.top, one.top];
      if (keeps({ ...one, top: moved }, a) && keeps({ ...other, top: back }, b)) {
        one.top = moved;
        other.top = back;
      }
    }
  }
}

/** The best of the first candidates among which one covers nothing, else of the last. A text that is wider than the plot
 *  has no candidates inside of it. */
function firstFree(tried, judge) {
  let found;
  for (const candidates of tried) {
    const offered = candidates();
    if (offered.length === 0) continue;
    found = judge(offered);
    if (isFree(found)) break;
  }
  return found;
}

function isFree({ covered, stray }) {
  return covered < FREE && stray === 0;
}

function name(point, family) {
  return { text: point.name, font: `600 13px ${family}` };
}

/** Cut where it is wider than that: the key and the table have the whole name. */
function fitting(context, label, widest) {
  if (widthOf(context, label) <= widest) return label;
  let { text } = label;
  while (text.length > 1 && widthOf(context, { ...label, text: `${text}…` }) > widest) text = text.slice(0, -1);
  return { ...label, text: `${text.trimEnd()}…` };
}

function note(point, family) {
  return { text: point.given.mark, font: `400 11.5px ${family}` };
}

function sized(context, texts) {
  const lines = texts.map((line) => ({ ...line, width: widthOf(context, line) }));
  return { lines, width: Math.max(...lines.map(({ width }) => width)), height: lines.length * LINE };
}

function best(candidates, hard, area, point, others) {
  const judged = candidates.map((place) => {
    const covered = sum(hard, place) + outside(place, area) * 20;
    const stray = Math.max(0, ...others.map((other) => strayed(place, point, other)));
    const cost =
      (covered < FREE ? 0 : OVER + covered * 10) + STRAY * stray + AWAY * place.away + (place.preferred ?? 0);
    return { ...place, covered, stray, cost };
  });
  return judged.reduce((least, place) => (place.cost < least.cost ? place : least));
}

/** Pixels by which a line is too near to the other point. Points that lie on each other cannot be told apart. */
function strayed(place, point, other) {
  if (Math.hypot(point.x - other.x, point.y - other.y) <= RADIUS) return 0;
  const [title, second] = linesOf(place);
  const near = distance(title, point) + NEARER - distance(title, other);
  return second ? Math.max(near, CLEAR - distance(second, other)) : near;
}

/** The boxes of a label's lines. */
export function linesOf({ left, top, width, align, lines }) {
  return lines.map(({ width: own }, nth) => {
    const free = width - own;
    const start = left + { left: 0, center: free / 2, right: free }[align];
    return { left: start, top: top + nth * LINE, width: own, height: LINE };
  });
}

function withRoom({ left, top, width, height, lines }) {
  const above = lines.length > 1 ? BETWEEN : 0; // names alone may stand below each other
  return { left: left - BETWEEN, top: top - above, width: width + 2 * BETWEEN, height: height + 2 * above };
}

/** From a point to the nearest edge of a label. */
export function distance({ left, top, width, height }, { x, y }) {
  return Math.hypot(beyond(left, width, x), beyond(top, height, y));
}

function beyond(start, length, at) {
  return Math.max(start - at, at - start - length, 0);
}

function widthOf(context, { text, font }) {
  context.save();
  context.font = font;
  const { width } = context.measureText(text);
  context.restore();
  return width;
}

function box(x, y, side) {
  return { left: x - side / 2, top: y - side / 2, width: side, height: side };
}

/** In the order of preference: lower right, below, upper right, above, then to the left, then level. */
function places({ x, y }, size, radius, away) {
  const reach = radius + GAP + away;
  const sides = { left: x + reach - 2, right: x - reach + 2 - size.width, center: x - size.width / 2 };
  const at = (align, top) => ({ ...size, align, left: sides[align], top, away });
  const [above, below] = [y - reach - size.height, y + reach];
  const [low, high, level] = [y + 3, y - 3 - size.height, y - size.height / 2];
  return [
    at("left", low),
    at("center", below),
    at("left", high),
    at("center", above),
    at("right", low),
    at("right", high),
    at("left", below),
    at("right", below),
    at("left", above),
    at("right", above),
    at("left", level),
    at("right", level),
  ].map((place, nth) => ({ ...place, preferred: nth }));
}

/** Every place in the plot; `away`: from the point to the nearest edge of the label. */
function everywhere({ x, y }, size, { left, top, right, bottom }) {
  const upTo = (from, to) =>
    Array.from({ length: Math.max(0, Math.floor((to - from) / GRID)) }, (_, n) => from + n * GRID);
  return upTo(left, right - size.width).flatMap((labelLeft) =>
    upTo(top, bottom - size.height).map((labelTop) => {
      const place = { ...size, align: "left", left: labelLeft, top: labelTop };
      return { ...place, away: distance(place, { x, y }) };
    }),
  );
}

function sum(others, label) {
  return others.reduce((total, other) => total + overlap(label, other), 0);
}

function outside({ left, top, width, height }, area) {
  const [right, bottom] = [left + width, top + height];
  return (
    Math.max(0, area.left - left) +
    Math.max(0, right - area.right) +
    Math.max(0, area.top - top) +
    Math.max(0, bottom - area.bottom)
  );
}

function overlap(a, b) {
  const wide = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const high = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return wide > 0 && high > 0 ? wide * high : 0;
}
