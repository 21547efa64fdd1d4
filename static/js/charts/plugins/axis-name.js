// The name of the y axis is horizontal above it, which is easier to read.
import { named } from "../axes.js";
import { given, write } from "./given.js";

export const axisName = {
  id: "durascope-axis-name",
  afterDraw(chart) {
    const { payload, colours, view } = given(chart);
    const name = named(payload.y) ?? "";
    write(chart, name && view.log ? `${name} (log scale)` : name, 0, 7, colours["ink-soft"]);
  },
};
