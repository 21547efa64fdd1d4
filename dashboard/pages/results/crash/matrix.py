"""The crash matrix: settings by crash kinds, each cell with k of n and the median of what was lost."""

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import PLACES, CrashLoss, Tally, in_words, of, tallies
from dashboard.findings.lines import VariantPlace
from dashboard.findings.shown import ResultView
from dashboard.pages.results.addresses import Addresses
from dashboard.records.experiments.kind_names import MUST_LOSE, title
from dashboard.text.numbers import duration, ms
from workers.topology.faults import FAULTS

NEW, REPLICA = "new primary", "replica"
MANY = 100  # lost transactions per crash from which a cell has the strongest colour


@dataclass(frozen=True)
class MatrixCell:
    """`look` is a class of crash.css: held, other, few, many, flagged, unknown, untried. The words say the same."""

    kind: str
    look: str
    counts: str
    bounds: str
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
        bounds=tally.invalid.bounds,
        losses=tuple(_losses(tally)) if tally.invalid.k else (),
        unknown=tally.unknown,
        open=tally.open,
        replica=tally.replica,
        failover=tuple(_failover(tally)) if tally.kind in FAULTS else (),
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


def _losses(tally: Tally) -> Iterable[str]:
    """The median losses of engine and binlog, the worse loss first. A place that lost nothing is left out."""
    places = PLACES[:1] if tally.kind in FAULTS else PLACES
    known = [(place, loss) for place in places if (loss := tally.loss(place)) and loss.most]
    for place, loss in sorted(known, key=lambda one: -one[1].median):
        where = place if tally.kind not in FAULTS else f"{REPLICA if FAULTS[tally.kind].of_replica else NEW} lacks"
        yield f"{where} {in_words(loss.median)}{_work(loss)}"


def _failover(tally: Tally) -> Iterable[str]:
    """The write outage beside the loss, and commits that were read and then lost."""
    if tally.back_s is not None:
        yield f"writes refused {duration(tally.back_s)}"
    seen, n = tally.phantoms
    if seen:
        yield f"read, then lost in {seen} of {n}"


def _work(loss: CrashLoss) -> str:
    return f" ({ms(loss.median_ms)})" if loss.median_ms is not None else ""
