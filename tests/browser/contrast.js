// The rule color-contrast for the texts whose look is not among the `settled`, three of each look: axe cannot judge a text
// that another element covers. It never judges one on a gradient, nor one beside the page (the link that skips to the content),
// nor boxes to tick and the words inside a canvas.
async (settled) => {
  const known = new Set(settled);
  const MOST = 3;
  const CONTROLS = "input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea";
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
  const isText = (element) => element.matches(CONTROLS) || (words(element).length > 1 && !element.matches("canvas"));
  const lookOf = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const isOff = Boolean(element.closest(":disabled, [aria-disabled=true]") || element.closest("label")?.control?.disabled);
    return [color, fontSize, fontWeight, textShadow, isOff, groundOf(element)].join(" ");
  };
  const isShown = (element) => {
    const { width, height, right, bottom } = element.getBoundingClientRect();
    const isOnPage = width > 2 && height > 2 && right + scrollX > 0 && bottom + scrollY > 0;
    return isOnPage && element.checkVisibility({ visibilityProperty: true });
  };
  const looks = new Map();
  const asked = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (!isText(element) || !isShown(element)) continue;
    const look = lookOf(element);
    const met = looks.get(look) ?? 0;
    if (known.has(look) || met === MOST) continue;
    looks.set(look, met + 1);
    asked.push(element);
  }
  if (!asked.length) return { wrong: [], settled: [] };
  const resultTypes = ["violations", "passes", "incomplete"];
  const options = { runOnly: { type: "rule", values: ["color-contrast"] }, resultTypes, preload: false, elementRef: true };
  const found = await axe.run({ include: asked }, options);
  const nodes = (results) => results.flatMap((result) => result.nodes);
  const wrong = nodes(found.violations).map(({ target, any }) => `color-contrast: ${target}: ${any[0].message}`);
  const bad = new Set(nodes(found.violations).map(({ element }) => lookOf(element)));
  const onGradient = nodes(found.incomplete).filter(({ any }) => any[0].data.messageKey === "bgGradient");
  const good = [...nodes(found.passes), ...onGradient].map(({ element }) => lookOf(element));
  return { wrong, settled: good.filter((look) => !bad.has(look)) };
}
