// Entries of a key. Stacks list the variants, then the parts, instead of every combination.
import { fill } from "./fills.js";
import { seriesColour } from "./palette.js";
import { riskEntries } from "./risk-key.js";
import { paintBox, paintSeries } from "./swatch.js";
import { unmeasured } from "./unmeasured.js";

/** [{name, indices: series it stands for, paint: (context, colours)}] */
export function keyEntries(payload) {
  const { series } = payload;
  if (payload.kind === "risk") return riskEntries(payload);
  if (series.every(({ name, stack }) => stack && name.startsWith(`${stack} `)))
    return [...variants(series), ...parts(series)];
  if (series.every(({ panel }) => panel)) return linesOfPanels(payload);
  if (series.some(unmeasured)) return lines(payload);
  return series.map(({ name }, index) => ({
    name,
    indices: [index],
    paint: (context, colours) => paintSeries(context, payload, index, colours),
  }));
}

/** A bound or a model's curve belongs to the measured line of its name. */
function lines(payload) {
  return grouped(payload.series, ({ name }) => name).map(([name, indices]) => {
    const shown = indices.find((index) => !unmeasured(payload.series[index])) ?? indices[0];
    return { name, indices, paint: (context, colours) => paintSeries(context, payload, shown, colours) };
  });
}

/** Each panel is named in its corner: what a line means is the same in all of them. */
function linesOfPanels(payload) {
  return grouped(payload.series, ({ name, panel }) => name.slice(panel.length + 1)).map(([name, indices]) => ({
    name,
    indices,
    paint: (context, colours) => paintSeries(context, payload, indices[0], colours, colours["ink-soft"]),
  }));
}

function variants(series) {
  return grouped(series, ({ stack }) => stack).map(([name, indices]) => ({
    name,
    indices,
    paint: (context, colours) => paintBox(context, seriesColour(colours, series[indices[0]].colour)),
  }));
}

function parts(series) {
  return grouped(series, ({ name, stack }) => name.slice(stack.length + 1)).map(([name, indices], nth) => ({
    name,
    indices,
    paint: (context, colours) =>
      paintBox(context, colours["ink-soft"], fill(colours["ink-soft"], nth, colours.surface)),
  }));
}

function grouped(series, nameOf) {
  const groups = new Map();
  for (const [index, one] of series.entries()) {
    const name = nameOf(one);
    groups.set(name, [...(groups.get(name) ?? []), index]);
  }
  return [...groups];
}
