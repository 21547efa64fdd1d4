// Where names stand: beside their point where there is room, never over another point or name, and off the lines
// where that can be helped.

const LINE = 16;
const GAP = 6;
const SOFT = 0.3; // covering a line is less bad than covering a name

/** [{lines: [{text, font}], left, top, width, height, align, covered: pixels of points, names and margins}]. A label goes
 *  without its second line where both do not fit. `strokes`: boxes around lines. */
export function placed(context, area, points, strokes, radius, family) {
  const taken = points.map(({ x, y, mine }) => box(x, y, 2 * radius + (mine ? 10 : 2)));
  const labels = [];
  for (const [nth, point] of points.entries()) {
    const hard = [...taken.filter((_, index) => index !== nth), ...labels];
    const fit = (lines) =>
      best(places(point, sized(context, lines), radius + (point.mine ? 5 : 0)), hard, strokes, area);
    const both = fit([name(point, family), note(point, family)]);
    labels.push(both.covered === 0 ? both : fit([name(point, family)]));
  }
  return labels;
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

function best(candidates, hard, strokes, area) {
  const judged = candidates.map((place, nth) => {
    const covered = sum(hard, place) + outside(place, area) * 20;
    return { ...place, covered, cost: covered + SOFT * sum(strokes, place) + nth };
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
function places({ x, y }, size, radius) {
  const reach = radius + GAP;
  const sides = { left: x + reach - 2, right: x - reach + 2 - size.width, center: x - size.width / 2 };
  const at = (align, top) => ({ ...size, align, left: sides[align], top });
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
  ];
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
