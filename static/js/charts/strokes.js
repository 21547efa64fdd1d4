// Series of one colour differ by stroke, shape of marks and filling.
// `dash` of a series is the number of its style, 0 to 7 (docs/contributing/charts.md): with eight colours, 64 looks.

const SHAPES = ["circle", "rectRot", "triangle", "rect", "crossRot", "star", "rectRounded", "cross"];
const STROKES = [[], [7, 5], [9, 4, 2, 4], [2.5, 4]];
const OF_A_BOUND = [1, 5];
const STYLES = 8;

/** {stroke: dashes of the line, shape: of its marks, hollow: their inside shows the ground} */
export function lookOf({ colour = 0, dash = 0, ceiling }) {
  const style = Number(dash) % STYLES;
  return {
    stroke: ceiling ? OF_A_BOUND : STROKES[style % STROKES.length],
    shape: SHAPES[(colour + (style & 6)) % SHAPES.length],
    hollow: (style & 2) > 0,
  };
}
