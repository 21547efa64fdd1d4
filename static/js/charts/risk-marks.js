// Marks of settings: filling shows the outcome of the replica, colour the setting, a square several nodes.
export const RADIUS = 7.5;
const HALF = new Set(["unknown", "not tried"]);
const WORDS = {
  agree: "replicas agree",
  diverge: "replicas diverge silently",
  stopped: "replicas stop with an error",
  unknown: "whether replicas agree is unclear",
  "not tried": "no replica was tried",
};

const NODES = {
  one: "one server: durability by its disk",
  several: "several nodes: durability also by replication",
};

export function nodesInWords(nodes) {
  return NODES[nodes] ?? "";
}

export function inWords(replica) {
  return WORDS[replica] ?? replica;
}

/** Filled: agree, or "": no setting of the chart was tried with a replica. Hollow with a cross: diverge. Hollow: stopped.
 *  Half: not tried or not known. */
export function paintMark(context, { replica, nodes }, colour, ground, radius = RADIUS) {
  const outline = nodes === "several" ? square : disc;
  context.save();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  outline(context, radius - 1, replica === "agree" || !replica ? colour : ground);
  context.stroke();
  if (replica === "diverge") cross(context, radius * 0.5);
  if (HALF.has(replica)) half(context, radius - 1, colour, outline);
  context.restore();
}

export function paintRing(context, colour, radius = RADIUS) {
  context.save();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.beginPath();
  context.arc(0, 0, radius + 4.5, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

function disc(context, radius, filling) {
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.fillStyle = filling;
  context.fill();
}

function square(context, radius, filling) {
  context.beginPath();
  context.rect(-radius, -radius, 2 * radius, 2 * radius);
  context.fillStyle = filling;
  context.fill();
}

function cross(context, arm) {
  context.beginPath();
  for (const side of [-1, 1]) {
    context.moveTo(-arm, -arm * side);
    context.lineTo(arm, arm * side);
  }
  context.stroke();
}

function half(context, radius, colour, outline) {
  context.save();
  context.beginPath();
  context.rect(-2 * radius, -2 * radius, 2 * radius, 4 * radius);
  context.clip();
  outline(context, radius, colour);
  context.restore();
}
