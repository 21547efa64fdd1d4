"""The results of all trials of one setting under one crash kind."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from dashboard.findings.crash import missing, recorded
from dashboard.findings.crash.missing import typical
from dashboard.findings.crash.rate import Rate, rate
from dashboard.findings.crash.trials import ANY_ENGINE, REPLICAS_SAY, WITHOUT_LOGS, Replica, Tried, worst
from dashboard.findings.grouped import grouped
from dashboard.records.experiments.kind_names import HISTORIES, number_of
from dashboard.records.experiments.models import Trial
from dashboard.records.experiments.verdict_label import COMMITS_LOST, READ_THEN_LOST
from workers.crash.points.story import PointCounts
from workers.topology.faults import FAULTS

PLACES = ("engine", "binlog")
LOST_FROM = ("either", *PLACES)  # the choices of a reader


@dataclass(frozen=True)
class CrashLoss:
    """Acknowledged transactions lost per crash, and the time in which they were committed; ms None: not known.
    `most_ms`: of the trial that lost most. `rate`: the trials that lost any. The medians are of these trials only, so
    that a loss in few of many crashes is not reported as 0."""

    mean: float  # of all trials
    median: float
    least: int
    most: int
    median_ms: float | None
    most_ms: float | None
    rate: Rate


@dataclass(frozen=True)
class Tally:
    """`trials`: those that count."""

    server_id: int
    variant: str
    kind: str
    trials: tuple[Tried, ...]

    @cached_property
    def decided(self) -> tuple[Tried, ...]:
        return tuple(trial for trial in self.trials if trial.is_decided)

    @property
    def unknown(self) -> int:
        return sum(trial.is_unknown for trial in self.trials)

    @property
    def engine(self) -> str:
        return self.trials[0].engine if self.trials else ANY_ENGINE

    @property
    def open(self) -> int:
        """Not finished: waiting, running, cancelled or interrupted."""
        return len(self.trials) - len(self.decided) - self.unknown

    @cached_property
    def invalid(self) -> Rate:
        return rate(
            sum(trial.verdict == Trial.Verdict.INVALID for trial in self.decided), len(self.decided), self.unknown
        )

    @property
    def outcome(self) -> str:
        """`nothing lost in 30 power losses`."""
        lost, read = (sum(one.verdict_label == word for one in self.decided) for word in (COMMITS_LOST, READ_THEN_LOST))
        told = self.invalid.outcome(self.kind, lost, read, self.unknown)
        return f"{told}; the replica stopped with an error in {self.stopped:,}" if self.stopped else told

    @cached_property
    def points(self) -> PointCounts | None:
        """The crash points of recorded loads."""
        return recorded.total(self.decided)

    @property
    def points_found(self) -> int:
        """In these loads, tried or not."""
        return sum(one.points.tried + one.points_left for one in self.decided if one.points)

    def loss(self, place: str) -> CrashLoss | None:
        """Lost from "engine" or "binlog" in trials with a verdict; None if no such trial knows."""
        known = [(count, trial.lost_ms(place)) for trial in self.decided if (count := trial.lost(place)) is not None]
        if not known:
            return None
        lost = [each for each, _ in known]
        hit = [each for each in lost if each]
        took = [took_ms for each, took_ms in known if each and took_ms is not None]
        _, worst_ms = max(known, key=lambda one: one[0])
        middle = median(hit) if hit else 0
        return CrashLoss(
            mean=fmean(lost),
            median=middle,
            least=min(lost),
            most=max(lost),
            median_ms=median(took) if took else None,
            most_ms=worst_ms,
            rate=rate(len(hit), len(known), len(self.decided) - len(known) + self.unknown),
        )

    @property
    def disagrees(self) -> bool:
        """Whether engine and binlog lost different numbers in a trial: recovery did not make them agree."""
        both = ((trial.lost_engine, trial.lost_binlog) for trial in self.decided)
        return any(engine != binlog for engine, binlog in both if None not in (engine, binlog))

    @cached_property
    def replicas(self) -> Counter[Replica]:
        return Counter(trial.replica for trial in self.decided)

    @property
    def replica(self) -> Replica:
        """The worst of its trials."""
        return worst(list(self.replicas))

    @property
    def back_s(self) -> float | None:
        """The median time until the server answered, or until a new primary acknowledged a commit."""
        known = [trial.recovery_s for trial in self.decided if trial.recovery_s is not None]
        return median(known) if known else None

    @property
    def stopped(self) -> int:
        """Trials whose crashed replica stopped with an error instead of catching up."""
        return sum(trial.is_of_replica and trial.rejoin == "stopped" for trial in self.decided)

    @property
    def differs(self) -> int:
        """Failovers after which the old primary followed without an error, with other rows than the new primary."""
        return sum(not trial.is_of_replica and bool(trial.rejoin_differs) for trial in self.decided)

    @property
    def fell_back(self) -> int:
        """Trials in which semi-synchronous replication went on asynchronously, or may have: no loss of its own."""
        return sum(bool(trial.fell_back) for trial in self.decided)

    @property
    def phantoms(self) -> tuple[int, int]:
        """Trials in which clients read commits that a failover then lost, of those that know."""
        known = [trial.phantoms for trial in self.decided if trial.phantoms is not None]
        return sum(count > 0 for count in known), len(known)

    @property
    def says(self) -> str:
        """`lost acknowledged commits in 4 of 4 power losses (median 1,060 commits missing from the binary log, ...)`.
        The time in which they were committed is left out: beside the speed of the cells, which have another load, it
        would look wrong."""
        if not self.invalid.n:
            return "has no trial with a verdict"
        unclear = [f"{self.unknown:,} more unclear"] if self.unknown else []
        crashes = number_of(self.kind, self.invalid.n)
        if counts := self.points:
            most = max((lost for trial in self.decided if (lost := trial.lost("either")) is not None), default=None)
            histories = crashes if self.kind in HISTORIES else ""
            noun = recorded.noun_of(self.kind)
            return "; ".join([recorded.says(counts, self.invalid.n, most, histories, noun), *unclear])
        if not self.invalid.k:
            return f"lost nothing in {', '.join([crashes, *unclear])} ({self.invalid.at_most})"
        lost = len(self.hit)
        text = f"lost acknowledged commits in {lost:,} of {crashes}{f' ({self.missing})' if self.missing else ''}"
        down = sum(trial.stayed_down for trial in self.decided)
        failed = [trial for trial in self.decided if trial.verdict == Trial.Verdict.INVALID]
        hit = {trial.id for trial in self.hit}
        otherwise = sum(not trial.stayed_down and trial.id not in hit for trial in failed)
        more = [f"the server did not come back after {down:,}"] if down and lost else []
        more += [f"{otherwise:,} failed in another way"] if otherwise and (lost or down) else []
        more += self._copies
        if not lost:
            text = f"did not come back after {down:,} of {crashes}" if down else f"failed in {otherwise:,} of {crashes}"
        return "; ".join([text, ", ".join(more + unclear)] if more + unclear else [text])

    @cached_property
    def hit(self) -> tuple[Tried, ...]:
        """The trials that lost acknowledged commits in any place."""
        return tuple(trial for trial in self.decided if any(trial.lost(place) for place in PLACES))

    @property
    def missing(self) -> str:
        """`median 7,730 commits missing from the binary log, 5,020 from InnoDB`; "" if none was lost. A failover loses
        a host with both logs, and a crashed replica may lack them alone: only the number is told."""
        if not self.hit:
            return ""
        if self.kind in WITHOUT_LOGS:
            loss = self.loss("either")
            return typical(loss.median, loss.rate.k) if loss else ""
        return missing.says(self.hit, self.engine)

    @property
    def _copies(self) -> list[str]:
        """What replicas were that were tried. One that agrees is not contradicted."""
        if self.replica in ("diverge", "stopped"):
            return [REPLICAS_SAY[self.replica]]
        if self.replica == "agree" and self.disagrees and self.kind not in FAULTS:
            return [f"{self.engine} and the binary log then differ"]
        return []

    @property
    def would_differ(self) -> tuple[bool, bool] | None:
        """Whether a replica would be ahead of the engine, and whether it would lack commits; None: one was tried, or
        nothing follows. The largest losses of a recorded load may be of different points."""
        if self.replica != "not tried" or self.kind in FAULTS or self.points or not self.decided:
            return None
        return missing.would_differ(self.hit)

    @property
    def of_a_replica(self) -> str:
        """How a replica can differ from the server after such a crash; "" if one was tried, or if it cannot."""
        return missing.of_a_replica(self.hit, self.engine) if self.disagrees and self.would_differ else ""


def tallies(trials: Iterable[Tried]) -> dict[tuple[int, str, str], Tally]:
    """(Server, variant, kind) -> tally of the trials that count, in order."""
    found = grouped(((one.server_id, one.variant, one.kind), one) for one in trials if one.counts)
    return {key: Tally(*key, tuple(same)) for key, same in found.items()}


def of(known: Mapping[tuple[int, str, str], Tally], key: tuple[int, str, str]) -> Tally:
    """The tally of that key; an empty one without trials."""
    return known.get(key) or Tally(*key, ())


def finished(trials: Sequence[Tried]) -> int:
    return sum(trial.is_decided or trial.is_unknown for trial in trials)
