// The name of the y axis is horizontal above it, which is easier to read.
import { named } from "../axes.js";
import { given, write } from "./given.js";

export const axisName = {
  id: "durascope-axis-name",
  afterDraw(chart) {
    const { payload, colours } = given(chart);
    write(chart, named(payload.y) ?? "", 0, 7, colours["ink-soft"]);
  },
};
