"""Measured figures, where they are read, the charts that draw them, and the figures for Prometheus."""

from collections.abc import Iterator

from dashboard.charts.chart import CHART_WORDS
from dashboard.pages.monitoring.figures import FIGURES
from reference.markdown import code, page, plain, table
from workers.metrics import source, status_counters


def page_of_figures() -> str:
    return page(
        "Figures",
        "## Measured beside a load\n",
        "Each is the total of the measured window.\n",
        table(("figure", "unit"), ((code(name), plain(unit)) for name, unit in source.FIGURES.items())),
        "## Status variables\n",
        "The sum of the variables, less those after *without*.\n",
        table(("flavour", "figure", "variables", "from version", "remark"), _counters()),
        "## Charts\n",
        "Words in braces are filled in.\n",
        table(("chart", "source", "how to read it"), _charts()),
        "## Prometheus\n",
        "`/metrics` answers these gauges ([the API](../docs/api.md#figures-for-prometheus)).\n",
        table(("figure", "what"), ((code(name), plain(one.says)) for name, one in FIGURES.items())),
    )


def _counters() -> Iterator[tuple[str, ...]]:
    for flavour, counters in status_counters.read(status_counters.FILE).items():
        for one in counters:
            names = ", ".join(map(code, one.adds))
            names += f" without {', '.join(map(code, one.minus))}" if one.minus else ""
            since = ".".join(map(str, one.since)) if any(one.since) else ""
            yield flavour, code(one.figure), names, since, plain(one.note)


def _charts() -> Iterator[tuple[str, ...]]:
    return ((plain(one.title), plain(one.source), plain(one.note)) for one in CHART_WORDS.values())
