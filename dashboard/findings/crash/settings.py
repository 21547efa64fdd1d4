"""The settings of an experiment with their speed and their crash results: the data of the chart of cost against
risk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.findings.crash.statistics import CrashLoss, Tally, of, tallies
from dashboard.findings.crash.trials import Tried
from dashboard.findings.lines import VariantPlace
from dashboard.findings.point import Point
from dashboard.records.experiments.kind_names import RECORDED, number_of
from workers.bench.trial_kinds import TWIN_IN_A_TOPOLOGY


@dataclass(frozen=True)
class CrashSetting:
    """A variant on a server under one crash kind. `speed` None: not measured; `loss`: from the chosen place;
    `recorded`: its recorded loads, None: that is the kind itself."""

    place: VariantPlace
    speed: Point | None
    tally: Tally
    loss: CrashLoss | None
    mine: bool
    recorded: Tally | None = None

    @property
    def name(self) -> str:
        return self.place.name

    @property
    def says(self) -> str:
        return f"{self.name} {self.outcome}"

    @property
    def outcome(self) -> str:
        """Where recorded loads were tried too, their crash points stand in the place of the upper bound of the crashes:
        they say more than the bound of a few crashes."""
        tally, recorded = self.tally, self.recorded
        if recorded is None or recorded.points is None or tally.invalid.k or tally.unknown:
            return tally.says
        crashes = number_of(tally.kind, tally.invalid.n)
        if recorded.invalid.k:
            return f"lost nothing in {crashes}, but {recorded.says}"
        return tally.says if recorded.unknown else f"{recorded.says}, nor in {crashes}"


def settings(
    places: Iterable[VariantPlace],
    trials: Iterable[Tried],
    speeds: Iterable[Point],
    kind: str,
    lost_from: str,
    mine: Mapping[int, str],
) -> list[CrashSetting]:
    """One for each place. `speeds`: the points at one number of threads; `mine`: server id -> its present variant.
    Beside a server that was crashed alone stands the topology whose primary was crashed so."""
    known = tallies(trials)
    measured = {(point.variant, point.server_id): point for point in speeds}
    found = [(place, _tally(known, place, kind)) for place in places]
    return [
        CrashSetting(
            place=place,
            speed=measured.get((place.variant, place.server_id)),
            tally=tally,
            loss=tally.loss(lost_from),
            mine=place.variant == mine.get(place.server_id),
            recorded=of(known, (place.server_id, place.variant, RECORDED)) if kind != RECORDED else None,
        )
        for place, tally in found
    ]


def _tally(known: dict[tuple[int, str, str], Tally], place: VariantPlace, kind: str) -> Tally:
    alone = of(known, (place.server_id, place.variant, kind))
    return alone if alone.trials else of(known, (place.server_id, place.variant, TWIN_IN_A_TOPOLOGY.get(kind, kind)))
