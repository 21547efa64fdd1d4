"""The context of the compare page's template."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.db.models import QuerySet
from django.utils.timezone import localtime

from dashboard.charts.chart import Chart
from dashboard.findings.analysis import analysis_of
from dashboard.findings.compare.choice import Choice
from dashboard.findings.compare.figures import FIGURES
from dashboard.findings.finding import Finding
from dashboard.findings.names import server_names
from dashboard.pages.results.compare.comparison import comparison
from dashboard.pages.results.picture import Picture
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments import environment
from dashboard.records.experiments.care import baseline_for
from dashboard.records.experiments.models import Cell, Experiment
from dashboard.records.experiments.queries import servers_of
from workers.bench.plan import Plan

MOST_OFFERED = 100


def context(choice: Choice, token: str = "") -> dict[str, object]:
    """`token`: of the share link that was opened. Its reader cannot choose other points."""
    seen = comparison(choice, token)
    reader = seen.reader
    said = replace(choice, runs=(), a=None, b=None) if reader.is_guest else choice
    answer = {
        "choice": choice,
        "query": said.query(),
        "unlike": _unlike(seen.environments, reader),
        "heads": seen.heads,
        "finding": seen.finding,
        "picture": _picture(seen.chart, said, reader),
        "figures": [(key, figure.title) for key, figure in FIGURES.items()],
        "addresses": reader.addresses,
        "shared": reader.is_guest,
        **seen.shown,
    }
    return answer if reader.is_guest else answer | _offers(choice, seen.experiments)


def at_a_glance(choice: Choice, token: str = "") -> tuple[Finding | None, Chart]:
    """The sentence and the picture alone, for the same reader."""
    seen = comparison(choice, token)
    return seen.finding, seen.chart


def picture_of(choice: Choice, token: str) -> Picture:
    """The picture behind a link, with its table and its files."""
    seen = comparison(choice, token)
    return _picture(seen.chart, replace(choice, runs=(), a=None, b=None), seen.reader)


def _picture(chart: Chart, choice: Choice, reader: Reader) -> Picture:
    return Picture(chart, *(reader.addresses.chart(chart.key, form, choice.query()) for form in ("csv", "json")))


def _unlike(groups: Iterable[Sequence[Mapping[str, object]]], reader: Reader) -> list[tuple[str, list[str]]]:
    """The differences within each group of environments, each once. Texts that the reader may not see are removed."""
    rows = [row for group in groups for row in environment.differences(group)]
    shown = [(name, [_for(reader, name, value) for value in values]) for name, values in rows]
    return [row for n, row in enumerate(shown) if row not in shown[:n]]


def _for(reader: Reader, name: str, value: str) -> str:
    return reader.text(value) if name in environment.FACTS else str(reader.variables({name: value})[name])


def _offers(choice: Choice, compared: Sequence[Experiment]) -> dict[str, object]:
    known = Experiment.objects.in_bulk(filter(None, (choice.a, choice.b, choice.offered)))
    offered = known.get(choice.offered or 0)
    offers = _measured([*compared, *known.values()])
    return {
        "runs": ",".join(map(str, choice.runs)),
        "experiments": list(_labelled(offers)),
        "not_offered": _with_points().exclude(pk__in=[one.pk for one in offers]).count(),
        "offered": offered,
        "points": _offer(offered, choice.runs) if offered else [],
    }


def _with_points() -> QuerySet[Experiment]:
    return Experiment.objects.filter(cells__state=Cell.State.DONE).distinct()


def _labelled(offers: Sequence[Experiment]) -> Iterator[tuple[int, str]]:
    """(Id, its name with the servers that the name does not hold, and when it was planned)."""
    servers = servers_of(one.pk for one in offers)
    for one in offers:
        further = [server for server in servers[one.pk] if server not in one.name]
        when = f"{localtime(one.created_at):%Y-%m-%d %H:%M}"
        yield one.pk, ", ".join([one.name, *further, when, *(["baseline"] if one.is_baseline else [])])


def _measured(about: Sequence[Experiment]) -> list[Experiment]:
    """The experiments that can be chosen: first the baselines of the compared experiments, then the newest."""
    newest = _with_points().defer("plan", "analysis", "claims", "outcomes")[:MOST_OFFERED]
    baselines = filter(None, map(baseline_for, about))
    return list({one.pk: one for one in (*baselines, *newest, *about)}.values())


def _offer(experiment: Experiment, wanted: Sequence[int]) -> list[Mapping[str, object]]:
    """The points of an experiment that can be added. `there`: the point is compared already."""
    names = server_names(Plan.from_dict(experiment.plan))
    return [
        {
            "point": point,
            "server": names[point.server_id],
            "value": ",".join(map(str, point.run_ids)),
            "there": set(point.run_ids) <= set(wanted),
        }
        for point in analysis_of(experiment).points
    ]
