"""The settings of an experiment with their speed and what crashes did to them: what cost against risk is made of."""

from dataclasses import dataclass

from dashboard.findings.crash.statistics import Loss, Tally, of, tallies
from dashboard.findings.point import Point
from dashboard.findings.shown import Line, Shown


@dataclass(frozen=True)
class Setting:
    """A variant on a server under the chosen crash kind. `point` is of the analysis, None: speed not measured."""

    name: str
    variant: str
    server_id: int
    colour: int
    point: Point | None
    tally: Tally
    loss: Loss | None  # from the chosen place
    mine: bool

    @property
    def tps(self) -> float | None:
        return self.point.tps if self.point else None


def settings(shown: Shown) -> list[Setting]:
    """One per variant and server of the plan, in its order."""
    known = tallies(shown.trials)
    lines = {(line.variant, line.server_id): line for line in shown.lines()}
    return [
        _setting(shown, lines.get((variant, server)), of(known, (server, variant, shown.crash_kind)))
        for variant, server in shown.places()
        if shown.server_id in (None, server)
    ]


def _setting(shown: Shown, line: Line | None, tally: Tally) -> Setting:
    points = line.points if line else ()
    return Setting(
        name=shown.label(tally.variant, tally.server_id),
        variant=tally.variant,
        server_id=tally.server_id,
        colour=shown.look(tally.variant, tally.server_id).colour,
        point=next((point for point in points if point.threads == shown.at_threads), None),
        tally=tally,
        loss=tally.loss(shown.lost_from),
        mine=tally.variant == shown.mine,
    )
