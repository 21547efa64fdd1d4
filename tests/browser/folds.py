"""Opens the folds in which a part of a page stands."""

from playwright.sync_api import Locator

OPEN = """one => {
  for (let fold = one.parentElement.closest('details'); fold; fold = fold.parentElement.closest('details'))
    fold.open = true;
}"""


def unfolded(part: Locator) -> Locator:
    part.first.evaluate(OPEN)
    return part
