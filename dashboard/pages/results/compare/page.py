"""What the template of the compare page is given."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dashboard.charts.chart import Chart
from dashboard.charts.compared import picture
from dashboard.findings.analysis import analysis_of
from dashboard.findings.compare.choice import BYS, Choice
from dashboard.findings.compare.columns import columns, experiments_of, shown_to
from dashboard.findings.compare.figures import FIGURES, Column
from dashboard.findings.compare.finding import finding
from dashboard.findings.finding import Finding
from dashboard.findings.names import server_names
from dashboard.pages.results.compare.reader import reader_of
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments import environment
from dashboard.records.experiments.care import baseline_for
from dashboard.records.experiments.models import Cell, Experiment
from workers.bench.plan import Plan

MOST_OFFERED = 100


def context(choice: Choice, token: str = "") -> dict[str, object]:
    """`token`: of the share link behind which this is shown; then nothing else can be added."""
    found = columns(choice.runs)
    reader = reader_of(found, token)
    shown = shown_to(found, reader.names, reader.text)
    said = replace(choice, runs=()) if reader.is_guest else choice
    answer = {
        "choice": choice,
        "query": said.query(),
        "columns": shown,
        "takes_out": [(column, _without(choice, place, column)) for place, column in enumerate(shown)],
        "left_out": max(0, len(choice.runs) - sum(len(column.run_ids) for column in found)),
        "unlike": _unlike(found, reader),
        "finding": finding(shown),
        "picture": _picture(picture(shown, choice), said, reader),
        "figures": [(key, figure.title) for key, figure in FIGURES.items()],
        "views": _views(said),
        "said": _said(choice),
        "addresses": reader.addresses,
        "shared": reader.is_guest,
    }
    return answer if reader.is_guest else answer | _offers(choice, experiments_of(found))


def _without(choice: Choice, place: int, column: Column) -> str:
    return choice.query(runs=column.others, hidden=choice.hidden_without(place))


def at_a_glance(choice: Choice, token: str = "") -> tuple[Finding | None, Chart]:
    """The sentence and the picture alone, for the same reader."""
    found = columns(choice.runs)
    reader = reader_of(found, token)
    shown = shown_to(found, reader.names, reader.text)
    return finding(shown), picture(shown, choice)


def picture_of(choice: Choice, token: str) -> dict[str, object]:
    """The picture behind a link, with its table and its files."""
    found = columns(choice.runs)
    reader = reader_of(found, token)
    shown = shown_to(found, reader.names, reader.text)
    return _picture(picture(shown, choice), replace(choice, runs=()), reader)


def _picture(chart: Chart, choice: Choice, reader: Reader) -> dict[str, object]:
    files = {form: reader.addresses.chart(chart.key, form, choice.query()) for form in ("csv", "json")}
    return {"chart": chart, "payload": chart.payload(), **files}


def _unlike(found: Sequence[Column], reader: Reader) -> list[tuple[str, list[str]]]:
    """What differs between the environments, in words that the reader may see."""
    rows = environment.differences([column.environment for column in found])
    return [(name, [_for(reader, name, value) for value in values]) for name, values in rows]


def _for(reader: Reader, name: str, value: str) -> str:
    return reader.text(value) if name in environment.FACTS else str(reader.variables({name: value})[name])


def _views(choice: Choice) -> list[dict[str, object]]:
    return [
        {"title": title, "query": choice.query(by=by), "by": by, "is_chosen": by == choice.by}
        for by, title in BYS.items()
    ]


def _said(choice: Choice) -> list[tuple[str, str]]:
    """(Name, value) of what a form that adds points carries along: they come last, so that places stay."""
    hide = ",".join(map(str, choice.hidden))
    return [("figure", choice.figure), ("by", choice.by), ("scale", choice.scale), ("hide", hide)]


def _offers(choice: Choice, compared: Sequence[Experiment]) -> dict[str, object]:
    offered = Experiment.objects.filter(pk=choice.offered).first() if choice.offered else None
    return {
        "runs": ",".join(map(str, choice.runs)),
        "experiments": _measured([*compared, *([offered] if offered else [])]),
        "offered": offered,
        "points": _offer(offered, choice.runs) if offered else [],
    }


def _measured(about: Sequence[Experiment]) -> list[Experiment]:
    """What points can be taken from: the baselines of what this is about first, then the newest."""
    newest = Experiment.objects.filter(cells__state=Cell.State.DONE).distinct()[:MOST_OFFERED]
    baselines = filter(None, map(baseline_for, about))
    return list({one.pk: one for one in (*baselines, *newest)}.values())


def _offer(experiment: Experiment, wanted: Sequence[int]) -> list[Mapping[str, object]]:
    """The points of an experiment that can be added, and whether they are there already."""
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
