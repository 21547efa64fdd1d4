"""Outcomes of checks and the verdict of a trial."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["valid", "invalid", "unknown"]


@dataclass(frozen=True)
class CheckResult:
    """One check of one trial. `key`: of the check, filled in by `run_checks`. `offenders`: the first ones as (client,
    n); `count`: of all. `vacuous`: valid, because no transaction was there that could have been wrong."""

    key: str
    outcome: Outcome
    count: int
    says: str
    offenders: tuple[tuple[int, int], ...] = ()
    vacuous: bool = False


def valid(says: str) -> CheckResult:
    return CheckResult("", "valid", 0, says)


def nothing_to_check(why: str) -> CheckResult:
    return CheckResult("", "valid", 0, f"Nothing to check: {why}.", vacuous=True)


def unknown(says: str) -> CheckResult:
    return CheckResult("", "unknown", 0, says)


def invalid(count: int, says: str, offenders: tuple[tuple[int, int], ...] = ()) -> CheckResult:
    return CheckResult("", "invalid", count, says, offenders)


def verdict(results: tuple[CheckResult, ...]) -> Outcome:
    """Invalid if any check is; else unknown if any is, or if nothing was checked; else valid."""
    outcomes = {result.outcome for result in results}
    if "invalid" in outcomes:
        return "invalid"
    return "valid" if outcomes == {"valid"} else "unknown"


def incomplete(found: Outcome) -> Outcome:
    """The verdict of a trial that could not do all that it should. A violation that was found stays one."""
    return "invalid" if found == "invalid" else "unknown"
