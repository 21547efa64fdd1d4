// Marks of settings: shape shows the outcome of the replica, colour the setting.
export const RADIUS = 7.5;
const HALF = new Set(["unknown", "not tried"]);
const WORDS = {
  agree: "replicas agree",
  diverge: "replicas diverge silently",
  stopped: "replicas stop with an error",
  unknown: "whether replicas agree is unclear",
  "not tried": "no replica was tried",
};

export function inWords(replica) {
  return WORDS[replica] ?? replica;
}

/** Filled: agree, or "": no setting of the chart was tried with a replica. Hollow with a cross: diverge. Hollow: stopped.
 *  Half: not tried or not known. */
export function paintMark(context, replica, colour, ground, radius = RADIUS) {
  context.save();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  disc(context, radius - 1, replica === "agree" || !replica ? colour : ground);
  context.stroke();
  if (replica === "diverge") cross(context, radius * 0.5);
  if (HALF.has(replica)) half(context, radius - 1, colour);
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

function cross(context, arm) {
  context.beginPath();
  for (const side of [-1, 1]) {
    context.moveTo(-arm, -arm * side);
    context.lineTo(arm, arm * side);
  }
  context.stroke();
}

function half(context, radius, colour) {
  context.beginPath();
  context.arc(0, 0, radius, Math.PI / 2, 1.5 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}
