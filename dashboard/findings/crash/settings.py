"""The settings of an experiment with their speed and their crash results: the data of the chart of cost against
risk."""

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.findings.crash.statistics import CrashLoss, Tally, of, tallies
from dashboard.findings.crash.trials import Tried
from dashboard.findings.lines import VariantPlace
from dashboard.findings.point import Point
from workers.bench.trial_kinds import TWIN_IN_A_TOPOLOGY


@dataclass(frozen=True)
class CrashSetting:
    """A variant on a server under one crash kind. `speed` None: not measured; `loss`: from the chosen place."""

    place: VariantPlace
    speed: Point | None
    tally: Tally
    loss: CrashLoss | None
    mine: bool

    @property
    def name(self) -> str:
        return self.place.name


def settings(
    places: Iterable[VariantPlace],
    trials: Iterable[Tried],
    speeds: Iterable[Point],
    kind: str,
    lost_from: str,
    mine: str,
) -> list[CrashSetting]:
    """One for each place. `speeds`: the points at one number of threads. Beside a server that was crashed alone stands
    the topology whose primary was crashed so."""
    known = tallies(trials)
    measured = {(point.variant, point.server_id): point for point in speeds}
    found = [(place, _tally(known, place, kind)) for place in places]
    return [
        CrashSetting(
            place=place,
            speed=measured.get((place.variant, place.server_id)),
            tally=tally,
            loss=tally.loss(lost_from),
            mine=place.variant == mine,
        )
        for place, tally in found
    ]


def _tally(known: dict[tuple[int, str, str], Tally], place: VariantPlace, kind: str) -> Tally:
    alone = of(known, (place.server_id, place.variant, kind))
    return alone if alone.trials else of(known, (place.server_id, place.variant, TWIN_IN_A_TOPOLOGY.get(kind, kind)))
