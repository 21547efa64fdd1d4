"""The crash matrix: settings by crash kinds, each cell with k of n and what was lost. The controls are not in it: the
self-test of the checks tells of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.findings.crash.losses import losses, of_a_failover
from dashboard.findings.crash.recorded import noun_of
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import PLACES, Tally, of, tallies
from dashboard.findings.lines import VariantPlace
from dashboard.findings.shown import ResultView
from dashboard.pages.results.addresses import Addresses
from dashboard.records.experiments.kind_names import plural, singular, title
from workers.bench.plan import CONTROLS
from workers.crash.kinds import CRASH_KINDS

MANY = 100  # lost transactions per crash from which a cell has the strongest colour


@dataclass(frozen=True)
class MatrixCell:
    """`look` is a class of crash.css: held, scarce, other, few, many, unknown, untried. The words say the same.
    `counts`: failed of tried; `unit`: of these; `losses`: (commits, their time). `share`: what the trials
    say of all such crashes."""

    kind: str
    look: str
    counts: str
    unit: str
    share: str
    losses: tuple[tuple[str, str], ...]
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


def kinds(view: ResultView) -> list[str]:
    """The columns."""
    return [kind for kind in view.crash_kinds if kind not in CONTROLS]


def matrix(view: ResultView, addresses: Addresses) -> list[MatrixRow]:
    known = tallies(view.trials)
    distrusted = self_test(view.trials).failed
    return [_row(view, addresses, place, known, distrusted) for place in view.places]


def _row(
    view: ResultView,
    addresses: Addresses,
    place: VariantPlace,
    known: Mapping[tuple[int, str, str], Tally],
    distrusted: bool,
) -> MatrixRow:
    tried = [of(known, (place.server_id, place.variant, kind)) for kind in kinds(view)]
    others = any(one.hit and not one.points for one in tried)
    cells = (_cell(one, _share(one), distrusted, _url(view, addresses, place, one.kind), others) for one in tried)
    return MatrixRow(place.name, place.colour, place.variant == view.mine[place.server_id], tuple(cells))


def _url(view: ResultView, addresses: Addresses, place: VariantPlace, kind: str) -> str:
    return addresses.trials(view.variants.index(place.variant), list(view.names).index(place.server_id), kind)


def _cell(tally: Tally, share: str, distrusted: bool, url: str, others: bool) -> MatrixCell:
    """`others`: another kind of crash tells how much this setting loses. The worst crash point, of another load, would
    be compared with that."""
    points = tally.points
    counts = f"{points.failed:,} of {points.tried:,}" if points else tally.invalid.counts
    return MatrixCell(
        kind=title(tally.kind),
        look=look(tally, distrusted),
        counts=counts if tally.invalid.n else "",
        unit=f"{noun_of(tally.kind)}s" if points else plural(tally.kind),
        share=share,
        losses=tuple(losses(tally)) if tally.invalid.k and not (points and others) else (),
        unknown=tally.unknown,
        open=tally.open,
        replica=tally.replica,
        failover=tuple(of_a_failover(tally)),
        url=url if tally.trials else "",
    )


def _share(tally: Tally) -> str:
    """How many of all such crashes may fail, unless all did. Trials without a failure are no proof."""
    rate = tally.invalid
    if not rate.n:
        return ""
    if not tally.points:
        return "" if rate.k == rate.n else rate.bounds(plural(tally.kind))
    if not rate.k:  # the cell tells those that are unclear
        return f"from {rate.n:,} {_loads(tally, rate.n)}: {rate.bounds()}"
    bounds = "" if rate.k == rate.n else rate.bounds(_loads(tally))
    unclear = f" ({tally.unknown:,} more unclear)" if tally.unknown else ""
    return ", ".join(filter(None, (f"in {rate.counts} {_loads(tally, rate.n)}{unclear}", bounds)))


def _loads(tally: Tally, n: int = 2) -> str:
    """The heading of the column names the crash points."""
    if CRASH_KINDS[tally.kind].records == "histories":
        return singular(tally.kind) if n == 1 else plural(tally.kind)
    return "load" if n == 1 else "loads"


def _held(tally: Tally) -> str:
    return "held" if tally.invalid.look(tally.unknown) == "passed" else "scarce"


def look(tally: Tally, distrusted: bool) -> str:
    """The severity. Green only if no trial failed, none is unclear, no replica stopped, and the self-test of the checks
    did not fail. Scarce: so, but in too few trials to be sure."""
    if not tally.invalid.n:
        return "unknown" if tally.unknown else "untried"
    if distrusted:
        return "unknown"
    if not tally.invalid.k:
        return "other" if tally.stopped else "unknown" if tally.unknown else _held(tally)
    lost = [loss.median for place in PLACES if (loss := tally.loss(place)) and loss.most]
    if not lost:
        return "other"
    return "many" if max(lost) >= MANY else "few"
