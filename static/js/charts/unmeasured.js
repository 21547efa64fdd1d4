// What a chart draws beside measurements: bounds, and curves of models.

export function unmeasured({ ceiling, fit }) {
  return Boolean(ceiling || fit);
}

/** The word that tells it from the measured line of the same name. */
export function kindWord({ ceiling, fit }) {
  if (ceiling) return " (ceiling)";
  return fit ? " (model)" : "";
}
