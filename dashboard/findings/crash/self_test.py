"""Whether the crash checks can be believed: a disk that lies must be flagged, a graceful restart must not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.findings.crash.trials import Tried
from dashboard.records.experiments.crash_kinds import GRACEFUL_RESTART, LYING_DISK, number_of
from dashboard.records.experiments.models import Trial


@dataclass(frozen=True)
class SelfTest:
    """`failed`: nothing that this experiment's trials found counts."""

    state: Literal["passed", "failed", "not tried"]
    says: str

    @property
    def failed(self) -> bool:
        return self.state == "failed"


def self_test(trials: Sequence[Tried]) -> SelfTest:
    """One control that comes out wrong is enough. A control that broke off shows nothing either way.

    A lying disk loses what the engine had, or all of it: one that is invalid for another reason only is not flagged.
    """
    lying = [trial for trial in trials if trial.kind == LYING_DISK and trial.was_completed]
    restarted = [trial for trial in trials if trial.kind == GRACEFUL_RESTART and trial.was_completed]
    graceful = [trial for trial in restarted if trial.is_decided]
    missed = sum(not _is_flagged(trial) for trial in lying)
    invented = sum(trial.verdict == Trial.Verdict.INVALID for trial in graceful)
    wrong = [f"{missed} of {number_of(LYING_DISK, len(lying))} not flagged"] if missed else []
    wrong += [f"{invented} of {number_of(GRACEFUL_RESTART, len(graceful))} flagged"] if invented else []
    if wrong:
        why = " and ".join(wrong)
        return SelfTest("failed", f"The self-test of the checks failed: {why}. No verdict of this experiment counts.")
    if not lying:
        return SelfTest("not tried", "The self-test of the checks did not run: no trial had a lying disk.")
    clean = f" and nothing in {number_of(GRACEFUL_RESTART, len(graceful))}" if graceful else ""
    unclear = len(restarted) - len(graceful)
    open_ = f"; {number_of(GRACEFUL_RESTART, unclear)} unclear" if unclear else ""
    flagged = f"{len(lying)} of {number_of(LYING_DISK, len(lying))}"
    return SelfTest("passed", f"The self-test passed: the checks flagged {flagged}{clean}{open_}.")


def _is_flagged(trial: Tried) -> bool:
    return trial.verdict == Trial.Verdict.INVALID and bool(trial.lost_engine or trial.stayed_down)
