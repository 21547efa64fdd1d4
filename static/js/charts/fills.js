// Fills of bars. Parts of a stack share the colour of the variant and differ by fill.

const TILE = 6;
const FILLS = [solid, hatched, outlined, dotted];

export function fill(colour, nth, ground) {
  return FILLS[nth % FILLS.length](colour, ground);
}

function solid(colour) {
  return colour;
}

function outlined(_colour, ground) {
  return ground;
}

export function hatched(colour, ground) {
  return tiled(ground, (context) => {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    for (const shift of [-TILE, 0, TILE]) {
      context.beginPath();
      context.moveTo(shift, TILE);
      context.lineTo(shift + TILE, 0);
      context.stroke();
    }
  });
}

function dotted(colour, ground) {
  return tiled(ground, (context) => {
    context.fillStyle = colour;
    context.fillRect(1, 1, 2, 2);
    context.fillRect(4, 4, 2, 2);
  });
}

function tiled(ground, paint) {
  const tile = document.createElement("canvas");
  const sharp = Math.max(1, Math.round(devicePixelRatio));
  tile.width = tile.height = TILE * sharp;
  const context = tile.getContext("2d");
  context.scale(sharp, sharp);
  context.fillStyle = ground;
  context.fillRect(0, 0, TILE, TILE);
  paint(context);
  const pattern = context.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / sharp));
  return pattern;
}
