"""What the trials of one setting under one crash kind come to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from dashboard.experiments.models import Trial
from dashboard.results.crash.kinds import counted
from dashboard.results.crash.rate import Rate, rate
from dashboard.results.crash.trials import REPLICAS_SAY, Replica, Tried, worst
from dashboard.results.templatetags.figures import ms, sig, whole


@dataclass(frozen=True)
class Loss:
    """Acknowledged transactions lost per crash and the time that committing them took; ms None: not known.
    `k` of `n` trials lost at least one."""

    median: float
    least: int
    most: int
    median_ms: float | None
    most_ms: float | None
    rate: Rate


@dataclass(frozen=True)
class Tally:
    """`trials` are those of the plan: a repeated trial was picked by somebody and would weigh the counts."""

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
    def open(self) -> int:
        """Not finished: waiting, running, cancelled or interrupted."""
        return len(self.trials) - len(self.decided) - self.unknown

    @cached_property
    def invalid(self) -> Rate:
        return rate(sum(trial.verdict == Trial.Verdict.INVALID for trial in self.decided), len(self.decided))

    def loss(self, place: str) -> Loss | None:
        """Lost from "engine" or "binlog" in trials with a verdict; None where no such trial knows."""
        lost = [trial.lost(place) for trial in self.decided if trial.lost(place) is not None]
        if not lost:
            return None
        took = [trial.lost_ms(place) for trial in self.decided if trial.lost_ms(place) is not None]
        return Loss(
            median=median(lost),
            least=min(lost),
            most=max(lost),
            median_ms=median(took) if took else None,
            most_ms=max(took) if took else None,
            rate=rate(sum(one > 0 for one in lost), len(lost)),
        )

    @property
    def disagrees(self) -> bool:
        """Whether engine and binlog lost different numbers in some trial: recovery did not bring them together."""
        both = ((trial.lost_engine, trial.lost_binlog) for trial in self.decided)
        return any(engine != binlog for engine, binlog in both if None not in (engine, binlog))

    @cached_property
    def replicas(self) -> Counter[Replica]:
        return Counter(trial.replica for trial in self.decided)

    @property
    def replica(self) -> Replica:
        """The worst of its trials; a replica that was tried in some of them was tried."""
        return worst([state for state in self.replicas if state != "not tried"])

    @property
    def says(self) -> str:
        """`lost a median of 1,060 acknowledged commits (0.9 s of work) in 4 of 4 power losses; replicas diverge ...`"""
        if not self.invalid.n:
            return "has no trial with a verdict"
        crashes = counted(self.kind, self.invalid.n)
        if not self.invalid.k:
            return f"lost nothing in {crashes} (95 %: {self.invalid.bounds} of crashes lose something)"
        loss = next((found for place in ("engine", "binlog") if (found := self.loss(place)) and found.median), None)
        where = f"{self.invalid.k:,} of {crashes}"
        text = f"lost {_lost(loss, self.loss('engine') == loss)} in {where}" if loss else f"failed in {where}"
        down = sum(trial.stayed_down for trial in self.decided)
        if down == self.invalid.k:
            return f"did not come back after {where}"
        more = [f"the server did not come back after {down:,}"] if down else []
        more += ["engine and binlog disagree"] if self.disagrees else []
        more += [REPLICAS_SAY[self.replica]] if self.replica in ("diverge", "stopped") else []
        return "; ".join([text, ", ".join(more)] if more else [text])


def in_words(count: float) -> str:
    """A median as sentences say it: 5, 3.5, 1,060."""
    return whole(count) if count == int(count) and count < 1000 else sig(count, 2 if count < 10 else 3)


def _lost(loss: Loss, engine: bool) -> str:
    work = f" ({ms(loss.median_ms)} of work)" if loss.median_ms is not None else ""
    number = "1 acknowledged commit" if loss.median == 1 else f"{in_words(loss.median)} acknowledged commits"
    return f"a median of {number}{work}{'' if engine else ' from the binlog'}"


def tallies(trials: Iterable[Tried]) -> dict[tuple[int, str, str], Tally]:
    """(server, variant, kind) -> tally, in the order met; repeated trials are left out."""
    grouped: dict[tuple[int, str, str], list[Tried]] = {}
    for trial in trials:
        if trial.repeats_id is None:
            grouped.setdefault((trial.server_id, trial.variant, trial.kind), []).append(trial)
    return {key: Tally(*key, tuple(same)) for key, same in grouped.items()}


def of(known: dict[tuple[int, str, str], Tally], key: tuple[int, str, str]) -> Tally:
    """The tally of that key, an empty one where there were no trials."""
    return known.get(key) or Tally(*key, ())


def finished(trials: Sequence[Tried]) -> int:
    return sum(trial.is_decided or trial.is_unknown for trial in trials)
