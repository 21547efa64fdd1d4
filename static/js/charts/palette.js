// The page's colours for canvases. The custom properties use light-dark(), which only a real element resolves.

export const SERIES = 8;
const NAMES = [
  "ink",
  "ink-soft",
  "line",
  "line-strong",
  "surface",
  "raised",
  "warned",
  "failed",
  "failed-soft",
  "unknown",
];

export function palette() {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(NAMES.map((name) => [name, colour(name)]));
  found.series = Array.from({ length: SERIES }, (_, index) => colour(`series-${index}`));
  found.font = getComputedStyle(document.body).fontFamily;
  probe.remove();
  return found;
}

/** The colour of a variant follows its place in the plan; the ninth has the first colour again. */
export function seriesColour(colours, index) {
  return colours.series[(((index ?? 0) % SERIES) + SERIES) % SERIES];
}

/** The same colour, thinner: rgb(…) with that opacity. */
export function faded(colour, opacity) {
  return colour.replace(/^rgba?\(([^)]*)\)$/, (_, parts) => {
    const [red, green, blue] = parts.split(/[\s,/]+/);
    return `rgb(${red} ${green} ${blue} / ${opacity})`;
  });
}
