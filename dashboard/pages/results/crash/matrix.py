"""The crash matrix: settings by crash kinds, each cell with k of n and the median of what was lost."""

from dataclasses import dataclass

from dashboard.findings.crash.losses import losses, of_a_failover
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import Tally, of, tallies
from dashboard.findings.lines import VariantPlace
from dashboard.findings.shown import ResultView
from dashboard.pages.results.addresses import Addresses
from dashboard.records.experiments.kind_names import GRACEFUL_RESTART, LYING_DISK, MUST_LOSE, title

EXPECTED = {
    LYING_DISK: "loss expected: this disk ignores flushes, to prove that the checks work",
    "asynchronous-link": "loss expected: this primary waits for no replica, to prove that the checks work",
    GRACEFUL_RESTART: "no loss expected: nothing crashed, to prove that the checks work",
    "switchover": "no loss expected: nothing crashed, to prove that the checks work",
}
MANY = 100  # lost transactions per crash from which a cell has the strongest colour


@dataclass(frozen=True)
class MatrixCell:
    """`look` is a class of crash.css: held, other, few, many, flagged, unknown, untried. The words say the same.
    `share`: the interval of the true share of failing crashes; of a control: what must happen."""

    kind: str
    look: str
    counts: str
    share: str
    losses: tuple[str, ...]
    unknown: int
    open: int
    replica: str
    failover: tuple[str, ...]
    url: str


@dataclass(frozen=True)
class MatrixRow:
    name: str
    colour: int
    mine: bool
    cells: tuple[MatrixCell, ...]


def matrix(view: ResultView, addresses: Addresses) -> list[MatrixRow]:
    known = tallies(view.trials)
    distrusted = self_test(view.trials).failed
    return [
        MatrixRow(
            name=place.name,
            colour=place.colour,
            mine=place.variant == view.choice.mine,
            cells=tuple(
                _cell(of(known, (place.server_id, place.variant, kind)), distrusted, _url(view, addresses, place, kind))
                for kind in view.crash_kinds
            ),
        )
        for place in view.places
    ]


def _url(view: ResultView, addresses: Addresses, place: VariantPlace, kind: str) -> str:
    return addresses.trials(view.variants.index(place.variant), list(view.names).index(place.server_id), kind)


def _cell(tally: Tally, distrusted: bool, url: str) -> MatrixCell:
    return MatrixCell(
        kind=title(tally.kind),
        look=look(tally, distrusted),
        counts=tally.invalid.counts if tally.invalid.n else "",
        share=EXPECTED.get(tally.kind) or f"true share {tally.invalid.share}",
        losses=tuple(losses(tally)) if tally.invalid.k and tally.kind not in MUST_LOSE else (),
        unknown=tally.unknown,
        open=tally.open,
        replica=tally.replica,
        failover=tuple(of_a_failover(tally)),
        url=url if tally.trials else "",
    )


def look(tally: Tally, distrusted: bool) -> str:
    """The severity. Green only if no trial failed, none is unclear, and the self-test of the checks did not fail. A
    control that must lose commits has a look of its own: the checks must flag it."""
    if not tally.invalid.n:
        return "unknown" if tally.unknown else "untried"
    if distrusted:
        return "unknown"
    if tally.kind in MUST_LOSE:
        return "flagged"
    if not tally.invalid.k:
        return "unknown" if tally.unknown else "held"
    loss = tally.loss("engine")
    if loss is None or not loss.most:
        return "other"
    return "many" if loss.median >= MANY else "few"
