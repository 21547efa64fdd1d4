"""The losses of a tally in short words, as the crash matrix and comparisons show them."""

from collections.abc import Iterable

from dashboard.findings.crash.missing import BINLOG, typical
from dashboard.findings.crash.recorded import noun_of
from dashboard.findings.crash.statistics import PLACES, CrashLoss, Tally
from dashboard.findings.crash.trials import Tried
from dashboard.records.experiments.kind_names import RECORDED_KINDS
from dashboard.text.numbers import duration, ms
from workers.topology.faults import FAULTS

NEW, REPLICA = "new primary", "replica"
NEARLY_ALL = 0.9  # of a trial's commits: the length of its load limited the loss


def losses(tally: Tally) -> Iterable[tuple[str, str]]:
    """The losses of engine and binlog with the figures of the first sentence, the worse loss first: medians of the
    trials that lost commits there, and the time in which they had been made. A place that lost nothing is left out."""
    places = PLACES[:1] if tally.kind in FAULTS else PLACES
    known = [(place, loss) for place in places if (loss := tally.loss(place)) and loss.most]
    for place, loss in sorted(known, key=lambda one: -one[1].median):
        yield f"{_where(tally, place)} {_lost(tally, loss)}", _work(tally, place, loss)


def lost_whole_load(tally: Tally, place: str = "either") -> str:
    """If a trial lost nearly all of its commits there, how much of a load was lost; else "". A longer load could then
    lose more."""
    shares = [0.0 if tally.kind in RECORDED_KINDS else _share(trial, place) for trial in tally.decided]
    most = max(shares, default=0.0)
    if most < NEARLY_ALL:
        return ""
    if min(shares) == 1:
        return "the whole load"
    return "up to the whole load" if most == 1 else "up to nearly a whole load"


def _share(trial: Tried, place: str) -> float:
    """The share of its commits that a trial lost."""
    return (trial.lost(place) or 0) / trial.acknowledged if trial.acknowledged else 0.0


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


def _lost(tally: Tally, loss: CrashLoss) -> str:
    """`median 1,120 commits`; of recorded loads those of the worst crash point."""
    if tally.kind in RECORDED_KINDS:
        return f"up to {typical(loss.most, 1)} at a {noun_of(tally.kind)}"
    return typical(loss.median, loss.rate.k)


def _work(tally: Tally, place: str, loss: CrashLoss) -> str:
    """`(the last 607 ms)`; "" where it is not known, and of recorded loads."""
    if loss.median_ms is None or tally.kind in RECORDED_KINDS:
        return ""
    lost_all = all(trial.lost(place) == trial.acknowledged for trial in tally.decided if trial.lost(place))
    return f"({'the whole load,' if lost_all else 'the last'} {ms(loss.median_ms)})"
