"""One picture of docs/reproduction.md, taken from a result page as a reader would: charts by their own PNG export."""

from pathlib import Path

from playwright.sync_api import Locator, Page

from dashboard.reproduction.pictures import MATRIX, Picture
from tests.pictures.squeeze import squeeze

LIMIT_BYTES = 200_000
# Few variants of many are shown without their ceilings: a picture is looked at, not explored.
LEAVE = """(figure, only) => {
  const view = figure.chartView;
  const wanted = ({ name, ceiling }) => only.includes(name) && !ceiling;
  const others = view.payload.series.flatMap((one, at) => (wanted(one) ? [] : [at]));
  if (others.length) view.toggle(others);
}"""


def take(page: Page, address: str, picture: Picture, to: Path) -> Path:
    """Opens the result page at `address`. Raises ValueError where the picture would be too heavy for a repository."""
    page.set_viewport_size({"width": 1100 if picture.chart == MATRIX else 700, "height": 1200})
    page.goto(address)
    png = squeeze(_matrix(page) if picture.chart == MATRIX else _export(page, picture))
    if len(png) >= LIMIT_BYTES:
        raise ValueError(f"it would have {len(png) // 1000} KB, more than {LIMIT_BYTES // 1000}. It was not written.")
    path = to / f"{picture.name}.png"
    path.write_bytes(png)
    return path


def _matrix(page: Page) -> bytes:
    return page.locator(".table-wrap", has=page.locator("table.crash-matrix")).screenshot()


def _export(page: Page, picture: Picture) -> bytes:
    figure = _figure(page, picture.chart)
    if picture.only:
        figure.evaluate(LEAVE, list(picture.only))
    if picture.log:
        figure.locator("[data-chart-scale=log]").click()
    with page.expect_download() as download:
        figure.locator("[data-chart-png]").click()
    return Path(download.value.path()).read_bytes()


def _figure(page: Page, key: str) -> Locator:
    """Charts are drawn when they come into sight."""
    found = page.locator(f"figure[data-chart={key}]")
    found.scroll_into_view_if_needed()
    page.wait_for_function("key => document.querySelector(`[data-chart=${key}]`).chartView", arg=key)
    return found
