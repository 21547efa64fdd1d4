"""What axe-core (tests/browser/vendor) finds wrong with a page: contrast, names, landmarks, keyboard."""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor/axe-core/axe.min.js").read_text()
# preload: axe would rebuild each style sheet that another imports as an inline one, which our policy refuses.
RUN = """async ([rules, but]) => {
  const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const off = Object.fromEntries(but.map((rule) => [rule, { enabled: false }]));
  const found = await axe.run(document, { rules: off, ...only, resultTypes: ["violations"], preload: false });
  const why = ({ any, all, none }) => [...any, ...all, ...none].map(({ message }) => message).join("; ");
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}: ${why(node)}`));
}"""
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()


def violations(page: Page, *rules: str, but: Sequence[str] = ()) -> list[str]:
    """Of the rules that are named; of all when none is, without those in `but`."""
    _load(page)
    return page.evaluate(RUN, [rules, but])


def contrast(page: Page, passed: set[str]) -> list[str]:
    """Texts without contrast. A text is not asked again if one with the same colours, grounds and size is in `passed`;
    those that pass now are added."""
    _load(page)
    found = page.evaluate(CONTRAST, list(passed))
    passed.update(found["passed"])
    return found["wrong"]


def _load(page: Page) -> None:
    if not page.evaluate("Boolean(globalThis.axe)"):
        page.evaluate(AXE)
