// The drawing of each kind of payload (docs/contributing/charts.md). A new kind is one line here.

const line = { type: "line", marks: true, labels: true, stepped: false, stacked: false, reference: null };
const bar = { ...line, type: "bar", marks: false, labels: false };

export const KINDS = {
  scaling: line,
  ratio: { ...line, reference: 1 },
  time: { ...line, marks: false },
  // x is a bucket's upper bound, so a step holds from the bound before to this one
  histogram: { ...line, marks: false, labels: false, stepped: "after" },
  bars: bar,
  stacked: { ...bar, stacked: true },
  // measured points and the curves of a model through them
  model: { ...line, fitted: true },
  residuals: { ...line, fitted: true, labels: false, reference: 0 },
  // x is a day; changes are marked
  nights: { ...line, radius: 2.5, dated: true },
  // one point a series, named where it stands; the key explains shapes
  risk: { ...line, type: "scatter", labels: false, across: true, leastKey: 1, mode: "nearest" },
};

export function kindOf(payload) {
  const kind = KINDS[payload.kind] ?? line;
  return payload.kind === "histogram" && payload.x?.scale === "category" ? bar : kind;
}
