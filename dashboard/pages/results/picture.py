"""A chart on a page, with its table and the addresses of its files."""

from dataclasses import dataclass

from dashboard.charts.chart import Chart


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
