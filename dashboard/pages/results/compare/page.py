from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dashboard.charts.chart import Chart
from dashboard.findings.analysis import analysis_of
from dashboard.findings.compare.choice import AskedComparison
from dashboard.findings.compare.figures import FIGURES
from dashboard.findings.names import server_names
from dashboard.pages.results.compare.comparison import comparison
from dashboard.pages.results.compare.offers import offers
from dashboard.pages.results.picture import Picture
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments import environment
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Experiment


def context(choice: AskedComparison, token: str = "", asked: Mapping[str, str] = {}) -> dict[str, object]:
    """`token`: of the share link that was opened. Its reader cannot choose other points. `asked`: the query, for
    `offers`."""
    seen = comparison(choice, token)
    reader = seen.reader
    said = replace(choice, runs=(), a=None, b=None) if reader.is_guest else choice
    answer = {
        "choice": choice,
        "query": said.query(),
        "unlike": _unlike(seen.environments, reader),
        "has_environments": bool(seen.environments) and len(seen.heads) > 1,
        "heads": seen.heads,
        "finding": seen.finding,
        "picture": _picture(seen.chart, said, reader),
        "figures": [(key, figure.title) for key, figure in FIGURES.items()],
        "addresses": reader.addresses,
        "shared": reader.is_guest,
        **seen.shown,
    }
    return answer if reader.is_guest else answer | _offers(choice, seen.experiments, asked)


def picture_of(choice: AskedComparison, token: str) -> Picture:
    """The picture behind a link, with its table and its files."""
    seen = comparison(choice, token)
    return _picture(seen.chart, replace(choice, runs=(), a=None, b=None), seen.reader)


def _picture(chart: Chart, choice: AskedComparison, reader: Reader) -> Picture:
    return Picture(chart, *(reader.addresses.chart(chart.key, form, choice.query()) for form in ("csv", "json")))


def _unlike(groups: Iterable[Sequence[EnvironmentFacts]], reader: Reader) -> list[tuple[str, list[str]]]:
    """The differences within each group of environments, each once. Texts that the reader may not see are removed."""
    rows = [row for group in groups for row in environment.differences(group)]
    shown = [(name, [_for(reader, name, value) for value in values]) for name, values in rows]
    return [row for n, row in enumerate(shown) if row not in shown[:n]]


def _for(reader: Reader, name: str, value: str) -> str:
    return reader.text(value) if name in environment.FACTS else str(reader.variables({name: value})[name])


def _offers(choice: AskedComparison, compared: Sequence[Experiment], asked: Mapping[str, str]) -> dict[str, object]:
    known = Experiment.objects.in_bulk(filter(None, (choice.a, choice.b, choice.offered)))
    offered = known.get(choice.offered or 0)
    return {
        "runs": ",".join(map(str, choice.runs)),
        "offers": offers(asked, [*compared, *known.values()]),
        "offered": offered,
        "points": _offer(offered, choice.runs) if offered else [],
    }


def _offer(experiment: Experiment, wanted: Sequence[int]) -> list[Mapping[str, object]]:
    """The points of an experiment that can be added. `there`: the point is compared already."""
    names = server_names(experiment.as_plan())
    return [
        {
            "point": point,
            "server": names[point.server_id],
            "value": ",".join(map(str, point.run_ids)),
            "there": set(point.run_ids) <= set(wanted),
        }
        for point in analysis_of(experiment).points
    ]
