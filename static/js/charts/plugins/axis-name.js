// The name of the y axis stands level above it: nobody tilts the head to read a chart.
import { named } from "../axes.js";
import { given, write } from "./given.js";

export const axisName = {
  id: "durascope-axis-name",
  afterDraw(chart) {
    const { payload, colours } = given(chart);
    write(chart, named(payload.y) ?? "", 0, 7, colours["ink-soft"]);
  },
};
