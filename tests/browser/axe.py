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
UNREACHED = """async () => {
  const scrolls = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    const wide = /auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth;
    return wide || (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight);
  };
  const asked = [...document.body.querySelectorAll("*")].filter((element) => element.tabIndex < 0 && scrolls(element));
  return asked.length ? await (RUN)([["scrollable-region-focusable"], []]) : [];
}""".replace("RUN", RUN)
settled: set[str] = set()  # looks of texts that had contrast on an earlier page of this process


def violations(page: Page, but: Sequence[str] = ()) -> list[str]:
    """Of all rules without those in `but`."""
    _load(page)
    return page.evaluate(RUN, [[], but])


def contrast(page: Page) -> list[str]:
    """Texts without contrast. A text is not asked again if one with the same colours, grounds and size had it."""
    _load(page)
    found = page.evaluate(CONTRAST, list(settled))
    settled.update(found["settled"])
    return found["wrong"]


def unreached(page: Page) -> list[str]:
    """Parts that scroll and cannot be scrolled by keyboard. Axe is asked if there is a part that scrolls, and that the
    keyboard may not reach."""
    _load(page)
    return page.evaluate(UNREACHED)


def _load(page: Page) -> None:
    if not page.evaluate("Boolean(globalThis.axe)"):
        page.evaluate(AXE)
