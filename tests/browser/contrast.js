// The rule color-contrast for the texts whose look is not in `known`, three of each look: axe cannot judge a text that
// another element covers.
async (known) => {
  const MOST = 3;
  const CONTROLS = "input, select, textarea";
  const grounds = new Map([[null, ""]]);
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none" && opacity === "1";
      const below = groundOf(element.parentElement);
      grounds.set(element, own ? below : `${below}/${backgroundColor} ${backgroundImage} ${opacity}`);
    }
    return grounds.get(element);
  };
  const words = (element) => [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => node.data.trim()).join("");
  const lookOf = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const isOff = Boolean(element.closest(":disabled, [aria-disabled=true]") || element.closest("label")?.control?.disabled);
    return [color, fontSize, fontWeight, textShadow, isOff, groundOf(element)].join(" ");
  };
  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 2 && height > 2 && element.checkVisibility({ visibilityProperty: true });
  };
  const looks = new Map();
  const asked = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (!(element.matches(CONTROLS) || words(element).length > 1) || !isShown(element)) continue;
    const look = lookOf(element);
    const met = looks.get(look) ?? 0;
    if (known.includes(look) || met === MOST) continue;
    looks.set(look, met + 1);
    asked.push(element);
  }
  if (!asked.length) return { wrong: [], passed: [] };
  const options = { runOnly: { type: "rule", values: ["color-contrast"] }, resultTypes: ["violations", "passes"] };
  const found = await axe.run({ include: asked }, { ...options, preload: false, elementRef: true });
  const nodes = (results) => results.flatMap((result) => result.nodes);
  const wrong = nodes(found.violations).map(({ target, any }) => `color-contrast: ${target}: ${any[0].message}`);
  const bad = new Set(nodes(found.violations).map(({ element }) => lookOf(element)));
  const passed = nodes(found.passes).map(({ element }) => lookOf(element)).filter((look) => !bad.has(look));
  return { wrong, passed: [...new Set(passed)] };
}
