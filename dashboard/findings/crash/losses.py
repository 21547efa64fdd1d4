"""The losses of a tally in short words, as the crash matrix and comparisons show them."""

from collections.abc import Iterable

from dashboard.findings.crash.missing import BINLOG, in_words, typical
from dashboard.findings.crash.statistics import PLACES, CrashLoss, Tally
from dashboard.records.experiments.kind_names import RECORDED_KINDS
from dashboard.text.numbers import duration, ms
from workers.topology.faults import FAULTS

NEW, REPLICA = "new primary", "replica"
NEARLY_ALL = 0.9  # of a trial's commits: the length of its load limited the loss


def losses(tally: Tally) -> Iterable[str]:
    """The losses of engine and binlog in one trial, the worse loss first. A place that lost nothing is left out."""
    places = PLACES[:1] if tally.kind in FAULTS else PLACES
    known = [(place, loss) for place in places if (loss := tally.loss(place)) and loss.most]
    for place, loss in sorted(known, key=lambda one: -one[1].median):
        yield f"{_where(tally, place)} {_lost(tally, place, loss)}"


def lost_whole_load(tally: Tally) -> bool:
    """Whether such a trial lost nearly all of its commits. A longer load could then lose more."""
    if tally.kind in RECORDED_KINDS:
        return False
    told = [(one, place) for place in PLACES if (one := tally.middle(place)) and one.acknowledged]
    return any((one.lost(place) or 0) >= NEARLY_ALL * (one.acknowledged or 0) for one, place in told)


def of_a_failover(tally: Tally) -> Iterable[str]:
    """Beside the loss: replicas that stopped, a fallback, the write outage, and commits that were read and then lost;
    nothing of a crash."""
    if tally.kind not in FAULTS:
        return
    if tally.stopped:
        yield f"replica stopped with an error in {tally.stopped} of {len(tally.decided)}"
    if tally.differs:
        yield f"old primary follows with other rows in {tally.differs} of {len(tally.decided)}, without an error"
    if tally.fell_back:
        yield f"fell back to asynchronous in {tally.fell_back} of {len(tally.decided)}"
    if tally.back_s is not None:
        yield f"writes refused {duration(tally.back_s)}"
    seen, n = tally.phantoms
    if seen:
        yield f"read, then lost in {seen} of {n}"


def _where(tally: Tally, place: str) -> str:
    if tally.kind in FAULTS:
        return f"{REPLICA if FAULTS[tally.kind].of_replica else NEW} lacks"
    return f"{BINLOG.removeprefix('the ') if place == 'binlog' else tally.engine.removeprefix('the ')} lost"


def _lost(tally: Tally, place: str, loss: CrashLoss) -> str:
    """`1,120 of 7,590 commits (the last 607 ms)`, all of one trial. A recorded load tells of its worst crash point."""
    one = tally.middle(place)
    if one is None or tally.kind in FAULTS:
        return f"{typical(loss.median, 1)}{_work(loss.median_ms)}"
    lost = one.lost(place) or 0
    if tally.kind in RECORDED_KINDS:
        return f"{typical(lost, 1)}{_work(one.lost_ms(place))} at the worst point"
    return f"{_of_all(lost, one.acknowledged)}{_work(one.lost_ms(place))}"


def _of_all(lost: int, acknowledged: int | None) -> str:
    if not acknowledged:
        return typical(lost, 1)
    if lost == acknowledged:
        return f"all {typical(lost, 1)}"
    return f"{in_words(lost)} of {typical(acknowledged, 1)}"


def _work(lost_ms: float | None) -> str:
    return f" (the last {ms(lost_ms)})" if lost_ms is not None else ""
