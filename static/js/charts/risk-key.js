// The key of cost against risk explains shapes; names are at the points.
import { inWords, paintMark, paintRing } from "./risk-marks.js";
import { SWATCH } from "./swatch.js";

export function riskEntries({ series }) {
  const states = [...new Set(series.map(({ replica }) => replica))];
  const entries = states.map((state) => ({
    name: inWords(state),
    indices: indicesOf(series, ({ replica }) => replica === state),
    paint: (context, colours) =>
      centred(context, () => paintMark(context, state, colours["ink-soft"], colours.surface, 6)),
  }));
  const mine = indicesOf(series, (one) => one.mine);
  const ring = (context, colours) => centred(context, () => paintRing(context, colours.ink, 1));
  return mine.length ? [...entries, { name: "my setting", indices: mine, paint: ring }] : entries;
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
