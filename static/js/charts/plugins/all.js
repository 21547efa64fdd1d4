// Drawing that Chart.js lacks. given.js lists the input of each plugin.
import "../columns.js";
import { axisName } from "./axis-name.js";
import { changes } from "./changes.js";
import { endLabels } from "./end-labels.js";
import { intervals } from "./intervals.js";
import { panels } from "./panels.js";
import { reference } from "./reference.js";
import { riskGround } from "./risk-ground.js";
import { riskPoints } from "./risk-points.js";
import { stalls } from "./stalls.js";
import { unknowns } from "./unknowns.js";

export const PLUGINS = [
  stalls,
  changes,
  reference,
  riskGround,
  intervals,
  unknowns,
  endLabels,
  riskPoints,
  panels,
  axisName,
];
