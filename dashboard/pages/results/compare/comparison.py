"""A comparison for its reader: of two experiments, or of single points, which the address names as `runs`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.compared import ComparedChart, paired_picture, picture
from dashboard.findings.compare.choice import BYS, AskedComparison
from dashboard.findings.compare.crashes import crash_pairs
from dashboard.findings.compare.figures import Column, columns, experiments_of, shown_to
from dashboard.findings.compare.finding import finding, paired_finding
from dashboard.findings.compare.pairs import environments, environments_of_runs, experiments_named, paired
from dashboard.findings.finding import Finding
from dashboard.findings.names import neutral_names, server_names
from dashboard.findings.redact import redactor_of
from dashboard.findings.tested import spelled_out
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Experiment


@dataclass(frozen=True)
class ShownComparison:
    """`environments`: groups of environments that should be alike, one in each group for each of `heads`. `shown`: the
    part of the template's context that depends on the kind of comparison."""

    reader: Reader
    experiments: Sequence[Experiment]
    finding: Finding | None
    chart: ComparedChart
    heads: Sequence[str]
    environments: Sequence[Sequence[EnvironmentFacts]]
    shown: Mapping[str, object]


def comparison(choice: AskedComparison, token: str = "") -> ShownComparison:
    """`token`: of the share link that was opened, "" for a person who logged in."""
    both = experiments_named(choice)
    return _of_experiments(choice, *both, token) if both else _of_points(choice, token)


def _of_experiments(choice: AskedComparison, a: Experiment, b: Experiment, token: str) -> ShownComparison:
    both, plans = (a, b), (a.as_plan(), b.as_plan())
    reader = reader_of(both, token)
    names = {pk: name for plan in plans for pk, name in server_names(plan).items()}
    known = names | dict(reader.names)
    found = paired(a, b, known, reader.text)
    crashes = crash_pairs(a, b, known, reader.text)
    return ShownComparison(
        reader=reader,
        experiments=both,
        finding=paired_finding(found, crashes),
        chart=paired_picture(found, choice),
        heads=("A", "B"),
        environments=environments([*environments_of_runs(found.pairs), *crashes.environments]),
        shown={
            "paired": found,
            "sides": [(side, one, reader.text(one.name)) for side, one in zip("AB", both, strict=True)],
            "alone": [("A", found.only_a), ("B", found.only_b)],
            "crashes": crashes,
            "settings": dict.fromkeys(one for plan in plans for one in spelled_out(plan, reader.text)),
        },
    )


def _of_points(choice: AskedComparison, token: str) -> ShownComparison:
    found = columns(choice.runs)
    experiments = experiments_of(found)
    reader = reader_of(experiments, token)
    shown = shown_to(found, reader.names, reader.text)
    return ShownComparison(
        reader=reader,
        experiments=experiments,
        finding=finding(shown),
        chart=picture(shown, choice),
        heads=[str(n) for n in range(1, len(found) + 1)],
        environments=[[column.environment for column in found]],
        shown={
            "columns": shown,
            "takes_out": [(column, _without(choice, place, column)) for place, column in enumerate(shown)],
            "left_out": max(0, len(choice.runs) - sum(len(column.run_ids) for column in found)),
            "views": _views(replace(choice, runs=()) if reader.is_guest else choice),
            "said": _said(choice),
        },
    )


def _without(choice: AskedComparison, place: int, column: Column) -> str:
    return choice.query(runs=column.others, hidden=choice.hidden_without(place))


def _views(choice: AskedComparison) -> list[dict[str, object]]:
    return [
        {"title": title, "query": choice.query(by=by), "by": by, "is_chosen": by == choice.by}
        for by, title in BYS.items()
    ]


def _said(choice: AskedComparison) -> list[tuple[str, str]]:
    """(Name, value) of the hidden fields of the form that adds points. New points come last, so `hide` stays right."""
    hide = ",".join(map(str, choice.hidden))
    return [("figure", choice.figure), ("by", choice.by), ("scale", choice.scale), ("hide", hide)]


def reader_of(experiments: Sequence[Experiment], token: str = "") -> Reader:
    """`token`: of the share link that was opened, "" for a person who logged in."""
    if not token:
        return Reader(Addresses(None), {})
    names = neutral_names(*(one.as_plan() for one in experiments))
    return Reader(Addresses(None, token), names, redactor_of(*experiments))
