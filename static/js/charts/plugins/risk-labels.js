// Where names stand: beside their point where there is room, else further away; never over a point, an error bar or
// another name.

const LINE = 16;
const GAP = 6;
const NEAR = [0, 14, 28]; // pixels between a point and its label
const FREE = 1; // square pixels that rounding may leave covered
const GRID = 8; // pixels between the places that are tried in the whole plot
const AWAY = 0.6; // cost of each such pixel

/** [{lines: [{text, font}], left, top, width, height, align, away, covered: pixels of points, error bars, names and
 *  margins}]. A label goes without its second line where both do not fit nearby; all do where room is short. `bars`:
 *  boxes around lines. */
export function placed(context, area, points, bars, radius, family) {
  const whole = layout(context, area, points, bars, radius, family, true);
  const fits = whole.every(({ covered }) => covered < FREE);
  return fits ? whole : layout(context, area, points, bars, radius, family, false);
}

function layout(context, area, points, bars, radius, family, noted) {
  const marks = points.map(({ x, y, mine }) => box(x, y, 2 * radius + (mine ? 10 : 2)));
  const labels = [];
  for (const point of points) {
    const hard = [...marks, ...bars, ...labels];
    const near = (size) => NEAR.flatMap((away) => places(point, size, radius + (point.mine ? 5 : 0), away));
    const both = sized(context, [name(point, family), note(point, family)]);
    const alone = sized(context, [name(point, family)]);
    const tried = [...(noted ? [() => near(both)] : []), () => near(alone), () => everywhere(point, alone, area)];
    labels.push(firstFree(tried, (candidates) => best(candidates, hard, area)));
  }
  return labels;
}

/** The best of the first candidates among which one covers nothing, else of the last. */
function firstFree(tried, judge) {
  let found;
  for (const candidates of tried) {
    found = judge(candidates());
    if (found.covered < FREE) break;
  }
  return found;
}

function name(point, family) {
  return { text: point.mine ? `${point.name} (mine)` : point.name, font: `600 13px ${family}` };
}

function note(point, family) {
  return { text: point.given.mark, font: `400 11.5px ${family}` };
}

function sized(context, lines) {
  return { lines, width: Math.max(...lines.map((line) => widthOf(context, line))), height: lines.length * LINE };
}

function best(candidates, hard, area) {
  const judged = candidates.map((place) => {
    const covered = sum(hard, place) + outside(place, area) * 20;
    const cost = covered * 10 + AWAY * place.away + (place.preferred ?? 0);
    return { ...place, covered, cost };
  });
  return judged.reduce((least, place) => (place.cost < least.cost ? place : least));
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
  const away = (start, length, at) => Math.max(start - at, at - start - length, 0);
  return upTo(left, right - size.width).flatMap((labelLeft) =>
    upTo(top, bottom - size.height).map((labelTop) => {
      const distance = Math.hypot(away(labelLeft, size.width, x), away(labelTop, size.height, y));
      return { ...size, align: "left", left: labelLeft, top: labelTop, away: distance };
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
