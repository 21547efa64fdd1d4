// The axis of losses: decades, and a band for zero at the left, because a log axis has no zero.

const GAP = 1.6; // between the band and the first decade: a loss of a single commit is not at the band
const SHARE = { used: 0.26, unused: 0.1 }; // of the axis, for the band with and without points in it

/** {min, max, edge: end of the band, first: the first decade, zero: position of zero}, as values of the log axis. */
export function riskScale(payload) {
  const points = payload.series.flatMap((series) => series.points);
  const positive = points.flatMap(({ x, x_lo, x_hi }) => [x, x_lo, x_hi]).filter((value) => value > 0);
  const first = 10 ** Math.floor(Math.log10(Math.min(...positive, 1000)));
  const max = Math.max(10 ** Math.ceil(Math.log10(Math.max(...positive, 1))), first * 10);
  const edge = first / GAP;
  const share = points.some(({ x }) => x === 0) ? SHARE.used : SHARE.unused;
  const band = (Math.log10(max / edge) * share) / (1 - share);
  return { min: edge / 10 ** band, max, edge, first, zero: edge / 10 ** (band / 2) };
}

/** A loss as a value of the axis. */
export function onRiskAxis(loss, scale) {
  return loss > 0 ? loss : scale.zero;
}

/** Zero in the middle of its band, then decades. */
export function riskTicks(scale) {
  const decades = Math.round(Math.log10(scale.max / scale.first));
  return [scale.zero, ...Array.from({ length: decades + 1 }, (_, power) => scale.first * 10 ** power)];
}
