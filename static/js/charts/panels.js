// Small charts below each other in one plot, with one x axis: a scale of y for each.

const HIGH = 5; // more of them need a higher plot
const WIDTH = 52; // pixels for the numbers of panels with different units
const ROOM = 1.25; // above the highest value, for the name
const GAP = 0.3; // below zero: a name must not look like a value of the panel above it

/** Names of the small charts in their order; none where one chart holds all series. */
export function panelsOf({ series }) {
  return [...new Set(series.flatMap(({ panel }) => panel ?? []))];
}

export function needsHeight(payload) {
  return panelsOf(payload).length > HIGH;
}

/** The scale that a series is drawn on. */
export function scaleOf(payload, { panel }) {
  return panel ? `y${panelsOf(payload).indexOf(panel)}` : "y";
}

/** {id: scale}, the first panel on top. `axis`: what all of them are like; `ys`: all values, so that heights compare.
 *  Panels of different units (`own_scales`) have a height each. */
export function panelScales(payload, axis, ys) {
  const scales = panelsOf(payload).map((panel, nth) => {
    const most = Math.max(...(payload.own_scales ? valuesOf(payload, panel) : ys), Number.MIN_VALUE);
    const afterBuildTicks = (scale) => {
      scale.ticks = ticksUpTo(most);
    };
    const shared = { ...axis, axis: "y", stack: "panels", max: most * ROOM, afterBuildTicks };
    return [`y${nth}`, payload.own_scales ? { ...shared, min: -most * GAP, afterFit } : shared];
  });
  return Object.fromEntries(scales.toReversed()); // Chart.js stacks from the bottom
}

/** Numbers of different lengths: Chart.js reserves the width of one scale for all. */
function afterFit(scale) {
  scale.width = WIDTH;
}

function valuesOf({ series }, panel) {
  return series.filter((one) => one.panel === panel).flatMap(({ points }) => points.map(({ y }) => y ?? 0));
}

/** Zero and one or two round numbers. */
function ticksUpTo(most) {
  const power = 10 ** Math.floor(Math.log10(most / 1.5));
  const step = power * (most / 1.5 >= 5 * power ? 5 : most / 1.5 >= 2 * power ? 2 : 1);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, nth) => ({ value: nth * step }));
}
