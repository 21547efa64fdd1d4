"""A chart on a page, with its table and the addresses of its files."""

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.charts.chart import Chart
from dashboard.charts.registry import OUTLINES, draw
from dashboard.findings.shown import ResultView
from dashboard.pages.results.addresses import Addresses


@dataclass(frozen=True)
class Picture:
    """`src`: where the page's script reads the rest of an outline; "" where the page holds the whole chart."""

    chart: Chart
    csv: str
    json: str
    src: str = ""

    @property
    def payload(self) -> dict[str, object]:
        return self.chart.payload()


def picture(key: str, view: ResultView, addresses: Addresses) -> Picture:
    chart = draw(key, view, embedded=True)
    csv, json = (addresses.chart(key, form, view.query) for form in ("csv", "json"))
    return Picture(chart, csv, json, json if key in OUTLINES and not chart.empty else "")


def pictures(keys: Iterable[str], view: ResultView, addresses: Addresses) -> list[Picture]:
    return [picture(key, view, addresses) for key in keys]
