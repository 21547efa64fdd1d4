"""The self-test of the checks: a control that must lose commits is flagged, a control that loses none is not.

A lying disk and a graceful restart control the crash checks. An asynchronous link, a switchover and a trial without a
fault control the failover checks. Each family of topologies is tested by its own controls: those of one server say
nothing about a failover.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.findings.crash.trials import Tried
from dashboard.findings.grouped import grouped
from dashboard.records.experiments.kind_names import MUST_HOLD, MUST_LOSE, number_of, title
from dashboard.records.experiments.models import Trial
from dashboard.text.words import listed
from workers.crash.kinds.power_loss import LyingDisk

State = Literal["passed", "failed", "incomplete", "not tried"]
WORST_FIRST: tuple[State, ...] = ("failed", "not tried", "incomplete", "passed")
NO_VERDICT = " No verdict of this experiment counts."
FAMILY_NAMES = {"galera": "Galera", "group-replication": "Group Replication"}  # others are words


@dataclass(frozen=True)
class SelfTest:
    """Of all families together: one that failed fails all, and all must pass. `failed`: no verdict of this experiment
    counts. `incomplete`: losses were found, and that none is invented was not shown."""

    state: State
    says: str

    @property
    def failed(self) -> bool:
        return self.state == "failed"


def self_test(trials: Sequence[Tried]) -> SelfTest:
    """One control with a wrong result fails the test. A control that must lose commits and was not completed does not
    count. To pass, it needs one that must hold, and none of these without a verdict.

    A lying disk loses commits of the engine or the whole server. An invalid trial with another failure only does not
    count as flagged.
    """
    by_family = grouped((trial.family, trial) for trial in trials)
    found = {name: _of_family(same) for name, same in by_family.items()} or {"": _of_family(())}
    state = min((one.state for one in found.values()), key=WORST_FIRST.index)
    told = [
        _named(name if len(found) > 1 else "", one)
        for name, one in found.items()
        if one.state == "failed" or state != "failed"
    ]
    return SelfTest(state, " ".join(told) + (NO_VERDICT if state == "failed" else ""))


def _of_family(trials: Sequence[Tried]) -> SelfTest:
    losing = [_Control.of(kind, trials) for kind in MUST_LOSE]
    holding = [_Control.of(kind, trials) for kind in MUST_HOLD]
    wrong = [one.told(one.missed, "not flagged") for one in losing if one.missed]
    wrong += [one.told(one.invented, "flagged") for one in holding if one.invented]
    if wrong:
        return SelfTest("failed", f"failed: {' and '.join(wrong)}.")
    losses = [f"the loss {one.of_all}" for one in losing if one.completed]
    if not losses:
        return SelfTest("not tried", "did not run: no trial had a lying disk or an asynchronous link.")
    clean = listed([number_of(one.kind, len(one.decided)) for one in holding if one.decided])
    unclear = "".join(f"; {number_of(one.kind, one.unclear)} unclear" for one in holding if one.unclear)
    if clean:
        losses.append(f"none after {clean}")
    found = f"they found {', and '.join(losses)}"
    if clean and not unclear:
        return SelfTest("passed", f"passed: {found}.")
    lacks = unclear or "; no trial that must lose nothing was tried"
    return SelfTest("incomplete", f"is not complete: {found}{lacks}.")


def _named(family: str, one: SelfTest) -> str:
    of = f" for {FAMILY_NAMES.get(family, family)}" if family else ""
    return f"The self-test of the checks{of} {one.says}"


@dataclass(frozen=True)
class _Control:
    """The trials of one control."""

    kind: str
    trials: tuple[Tried, ...]

    @classmethod
    def of(cls, kind: str, trials: Sequence[Tried]) -> "_Control":
        return cls(kind, tuple(trial for trial in trials if trial.kind == kind))

    @property
    def completed(self) -> list[Tried]:
        return [trial for trial in self.trials if trial.was_completed]

    @property
    def decided(self) -> list[Tried]:
        return [trial for trial in self.trials if trial.is_decided]

    @property
    def unclear(self) -> int:
        return sum(trial.is_unknown for trial in self.trials)

    @property
    def of_all(self) -> str:
        """`in 1 of 1 trial with a lying disk`; with the reason for the name."""
        why = " (it ignores flushes, so it must lose commits)" if self.kind == LyingDisk.key else ""
        trials = "1 trial" if len(self.completed) == 1 else f"{len(self.completed):,} trials"
        name = title(self.kind)
        return f"in {len(self.completed):,} of {trials} with {'an' if name[0] in 'aeiou' else 'a'} {name}{why}"

    @property
    def missed(self) -> int:
        return sum(not _is_flagged(trial) for trial in self.completed)

    @property
    def invented(self) -> int:
        return sum(trial.verdict == Trial.Verdict.INVALID for trial in self.trials)

    def told(self, wrong: int, what: str) -> str:
        """ "1 of 3 lying disks not flagged": of those that could be judged."""
        judged = self.completed if self.kind in MUST_LOSE else self.decided
        return f"{wrong} of {number_of(self.kind, len(judged))} {what}"


def _is_flagged(trial: Tried) -> bool:
    return trial.verdict == Trial.Verdict.INVALID and bool(trial.lost_engine or trial.stayed_down)
