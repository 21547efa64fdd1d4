"""The losses of a tally in short words, as the crash matrix and comparisons show them."""

from collections.abc import Iterable

from dashboard.findings.crash.missing import typical
from dashboard.findings.crash.statistics import PLACES, CrashLoss, Tally
from dashboard.text.numbers import duration, ms
from workers.topology.faults import FAULTS

NEW, REPLICA = "new primary", "replica"


def losses(tally: Tally) -> Iterable[str]:
    """The median losses of engine and binlog, the worse loss first. A place that lost nothing is left out."""
    places = PLACES[:1] if tally.kind in FAULTS else PLACES
    known = [(place, loss) for place in places if (loss := tally.loss(place)) and loss.most]
    for place, loss in sorted(known, key=lambda one: -one[1].median):
        yield f"{_where(tally, place)} {typical(loss.median, 1)}{_work(loss)}"


def of_a_failover(tally: Tally) -> Iterable[str]:
    """The write outage beside the loss, and commits that were read and then lost; nothing of a crash."""
    if tally.kind not in FAULTS:
        return
    if tally.back_s is not None:
        yield f"writes refused {duration(tally.back_s)}"
    seen, n = tally.phantoms
    if seen:
        yield f"read, then lost in {seen} of {n}"


def _where(tally: Tally, place: str) -> str:
    if tally.kind in FAULTS:
        return f"{REPLICA if FAULTS[tally.kind].of_replica else NEW} lacks"
    return "binary log" if place == "binlog" else tally.engine.removeprefix("the ")


def _work(loss: CrashLoss) -> str:
    return f" (the last {ms(loss.median_ms)})" if loss.median_ms is not None else ""
