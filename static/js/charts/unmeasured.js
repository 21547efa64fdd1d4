// Bounds and curves of models, which were not measured.

export function unmeasured({ ceiling, fit }) {
  return Boolean(ceiling || fit);
}

/** The word that distinguishes it from the measured line of the same name. */
export function kindWord({ name, ceiling, fit }) {
  if (ceiling) return name.endsWith(" limit") ? "" : " (limit)";
  return fit ? " (model)" : "";
}
