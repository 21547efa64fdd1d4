// Where names stand: beside their point where there is room, else further away; never over a point, an error bar or
// another name, and never nearer to another point than to its own.

import { RADIUS } from "../risk-marks.js";

const LINE = 16;
const GAP = 6;
const FURTHER = [14, 28]; // pixels between a point and its label, where none is free beside the point
const FREE = 1; // square pixels that rounding may leave covered
const GRID = 4; // pixels between the places that are tried in the whole plot
const AWAY = 0.6; // cost of each such pixel
const NEARER = 10; // pixels by which a name is nearer to its own point than to any other
const STRAY = 40; // cost of each such pixel that is missing
const OVER = 1e5; // cost of covering anything

/** [{lines: [{text, font, width}], left, top, width, height, align, away, covered: pixels of points, error bars, names and
 *  margins, stray: pixels by which it is too near to another point}]. A label goes without its second line where both do not fit nearby; all do where room is short. `bars`:
 *  boxes around lines. */
export function placed(context, area, points, bars, radius, family) {
  const whole = layout(context, area, points, bars, radius, family, true);
  const fits = whole.every(isFree);
  return fits ? whole : layout(context, area, points, bars, radius, family, false);
}

function layout(context, area, points, bars, radius, family, noted) {
  const marks = points.map(({ x, y, mine }) => box(x, y, 2 * radius + (mine ? 10 : 2)));
  const labels = [];
  for (const point of points) {
    const hard = [...marks, ...bars, ...labels];
    const beside = (size, aways) => aways.flatMap((away) => places(point, size, radius + (point.mine ? 5 : 0), away));
    const both = sized(context, [name(point, family), note(point, family)]);
    const alone = sized(context, [name(point, family)]);
    const tried = [
      ...(noted ? [() => beside(both, [0])] : []),
      () => beside(alone, [0]),
      ...(noted ? [() => beside(both, FURTHER)] : []),
      () => beside(alone, FURTHER),
      () => everywhere(point, alone, area),
    ];
    const others = points.filter((other) => other !== point);
    labels.push(firstFree(tried, (candidates) => best(candidates, hard, area, point, others)));
  }
  return labels;
}

/** The best of the first candidates among which one covers nothing, else of the last. */
function firstFree(tried, judge) {
  let found;
  for (const candidates of tried) {
    found = judge(candidates());
    if (isFree(found)) break;
  }
  return found;
}

function isFree({ covered, stray }) {
  return covered < FREE && stray === 0;
}

function name(point, family) {
  return { text: point.mine ? `${point.name} (mine)` : point.name, font: `600 13px ${family}` };
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

/** Pixels by which a name is too near to the other point. Points that lie on each other cannot be told apart. */
function strayed(place, point, other) {
  const apart = Math.hypot(point.x - other.x, point.y - other.y);
  const title = nameOf(place);
  return apart > RADIUS ? distance(title, point) + NEARER - distance(title, other) : 0;
}

/** The box of a label's first line. */
export function nameOf({ left, top, width, align, lines: [{ width: own }] }) {
  const free = width - own;
  return { left: left + { left: 0, center: free / 2, right: free }[align], top, width: own, height: LINE };
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
