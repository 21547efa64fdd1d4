"""Small maps of recorded loads for the result page: of each setting its first load, then its further ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from django.db.models.fields.json import KT

from dashboard.charts.crash_map import crash_map, paths
from dashboard.findings.crash import recorded
from dashboard.findings.crash.trials import Tried
from dashboard.findings.lines import VariantPlace
from dashboard.findings.shown import ResultView
from dashboard.installation.stored import read_text
from dashboard.pages.results.addresses import Addresses
from dashboard.records.experiments.kind_names import HISTORIES, RECORDED, title
from dashboard.records.experiments.models import TrialEvidence
from workers.crash.points.story import JudgedPoint

MOST = 6  # one row of a wide screen
WITHOUT_MAP = HISTORIES | recorded.KILLED


@dataclass(frozen=True)
class LoadMap:
    """`says`: what is drawn, in words; `upward`: what the height of a dot is; `paths`: (look, path of its dots)."""

    name: str
    says: str
    upward: str
    url: str
    paths: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class LoadMaps:
    """`more`: loads that are not drawn."""

    drawn: tuple[LoadMap, ...]
    more: int


def load_maps(view: ResultView, addresses: Addresses) -> LoadMaps | None:
    """None: no load was recorded. Small histories and kill points have no map."""
    chosen = list(_in_turns(view))
    points = _points([trial for _, trial in chosen[:MOST]])
    maps = [(name, trial, crash_map(points[trial.id])) for name, trial in chosen[:MOST]]
    if not maps:
        return None
    drawn = tuple(
        LoadMap(name, _says(trial), "binary log" if one.binlog_bytes else "time", addresses.trial(trial.id), paths(one))
        for name, trial, one in maps
    )
    return LoadMaps(drawn, len(chosen) - len(maps))


def _in_turns(view: ResultView) -> Iterator[tuple[str, Tried]]:
    """Each with the name of its setting."""
    of_place: dict[tuple[int, str], list[Tried]] = {}
    for one in view.trials:
        if one.counts and one.points and one.kind not in WITHOUT_MAP:
            of_place.setdefault((one.server_id, one.variant), []).append(one)
    loads = [
        [(_name(place, one), one) for one in of_place.get((place.server_id, place.variant), [])]
        for place in view.places
    ]
    return (one for one in chain.from_iterable(zip_longest(*loads)) if one)


def _name(place: VariantPlace, trial: Tried) -> str:
    kind = "" if trial.kind == RECORDED else f", {title(trial.kind)}"
    return f"{place.name}{kind}, trial {trial.position + 1:,}"


def _points(trials: Sequence[Tried]) -> dict[int, tuple[JudgedPoint, ...]]:
    """Trial id -> its crash points; one query. Their checks are most of the text, and are not read."""
    rows = TrialEvidence.objects.filter(pk__in=[one.id for one in trials])
    found = rows.values_list("trial_id", KT("data__points__states")) if trials else ()
    return {trial_id: read_text(tuple[JudgedPoint, ...], points) for trial_id, points in found}


def _says(trial: Tried) -> str:
    if trial.points is None:
        return ""
    text = recorded.says(trial.points, 1, trial.lost("either"))
    return f"{text[0].upper()}{text[1:]}"
