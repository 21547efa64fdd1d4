"""What axe-core (tests/browser/vendor) finds wrong with a page: contrast, names, landmarks, keyboard."""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor/axe-core/axe.min.js").read_text()
# preload: axe would rebuild each style sheet that another imports as an inline one, which our policy refuses.
RUN = """async (rules) => {
  const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const found = await axe.run(document, { ...only, resultTypes: ["violations"], preload: false });
  const why = ({ any, all, none }) => [...any, ...all, ...none].map(({ message }) => message).join("; ");
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}: ${why(node)}`));
}"""


def violations(page: Page, *rules: str) -> Sequence[str]:
    """Of the rules that are named; of all when none is."""
    if not page.evaluate("Boolean(globalThis.axe)"):
        page.evaluate(AXE)
    return page.evaluate(RUN, list(rules))
