// Charts and the live page share their modules.
import "./charts.js";
import "./live.js";
