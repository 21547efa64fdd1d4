// The key of speed against risk explains shapes and bars; names are at the points.
import { hasInterval } from "./numbers.js";
import { inWords, nodesInWords, paintMark, paintRing } from "./risk-marks.js";
import { SWATCH } from "./swatch.js";

export function riskEntries({ series }) {
  const states = [...new Set(series.map(({ replica }) => replica))].filter(Boolean);
  const entries = states.map((state) => ({
    name: inWords(state),
    indices: indicesOf(series, ({ replica }) => replica === state),
    paint: (context, colours) =>
      centred(context, () => paintMark(context, { replica: state }, colours["ink-soft"], colours.surface, 6)),
  }));
  const shapes = [...new Set(series.map(({ nodes }) => nodes))].filter(Boolean).map((nodes) => ({
    name: nodesInWords(nodes),
    indices: indicesOf(series, (one) => one.nodes === nodes),
    paint: (context, colours) =>
      centred(context, () => paintMark(context, { nodes }, colours["ink-soft"], colours.surface, 6)),
  }));
  const mine = indicesOf(series, (one) => one.mine);
  const ring = (context, colours) => centred(context, () => paintRing(context, colours.ink, 1));
  const ringed = mine.length ? [{ name: "present setting", indices: mine, paint: ring }] : [];
  return [...shapes, ...entries, ...ringed, ...explained(series)];
}

/** What hides no series: it stands for none. */
function explained(series) {
  const points = series.flatMap((one) => one.points);
  const entries = [
    [points.some(({ x_lo, x_hi }) => x_lo !== x_hi), "fewest to most lost", bar(SWATCH.width / 2 - 3, 0)],
    [points.some(hasInterval), "speed of one setting, 95\u00a0% interval", bar(0, SWATCH.height / 2 - 1)],
    [points.length > 0, barless(points), () => {}],
  ];
  return entries.filter(([there]) => there).map(([, name, paint]) => ({ name, indices: [], paint }));
}

function barless(points) {
  const known = "no bar drawn: shorter than the dot";
  return points.every(hasInterval) ? known : `${known}, or not known`;
}

/** An error bar that reaches so far from its middle. */
function bar(x, y) {
  return (context, colours) =>
    centred(context, () => {
      context.strokeStyle = colours["ink-soft"];
      context.lineWidth = 1.25;
      context.beginPath();
      for (const side of [-1, 1]) {
        context.moveTo(0, 0);
        context.lineTo(x * side, y * side);
        context.moveTo(x * side - (x ? 0 : 3), y * side - (y ? 0 : 3));
        context.lineTo(x * side + (x ? 0 : 3), y * side + (y ? 0 : 3));
      }
      context.stroke();
    });
}

function indicesOf(series, wanted) {
  return series.flatMap((one, index) => (wanted(one) ? [index] : []));
}

function centred(context, paint) {
  context.save();
  context.translate(SWATCH.width / 2, SWATCH.height / 2);
  paint();
  context.restore();
}
