// The name of each small chart in its corner.
import { panelsOf } from "../panels.js";
import { given, write } from "./given.js";

export const panels = {
  id: "durascope-panels",
  afterDatasetsDraw(chart) {
    const { payload, colours } = given(chart);
    for (const [nth, name] of panelsOf(payload).entries()) {
      const { top } = chart.scales[`y${nth}`];
      write(chart, name, chart.chartArea.right - 6, top + 9, colours.ink, { align: "right", weight: "600" });
    }
  },
};
