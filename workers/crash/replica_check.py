"""The check of a replica that was reconnected after a crash."""

from collections.abc import Sequence

from workers.crash.evidence import ReplicaSeen
from workers.crash.verdict import CheckResult, invalid, unknown, valid

RECONNECTIONS = ("after recovery", "after the primary wrote on")


def judge_replicas(seen: Sequence[ReplicaSeen]) -> CheckResult:
    """Valid when the replica caught up both times and had the same rows. The old primary's attempt to follow the
    promoted replica is not judged: an asynchronous replica may always be behind."""
    ours = [one for one in seen if one.moment in RECONNECTIONS]
    bad = [said for one in ours if (said := _complaint(one))]
    if bad:
        return invalid(max(one.different_rows or 1 for one in ours), " ".join(bad))
    if len(ours) < len(RECONNECTIONS) or any(one.state != "caught up" or one.different_rows != 0 for one in ours):
        why = " ".join(one.error for one in ours if one.error) or "it was not reconnected both times"
        return unknown(f"Whether the replica agrees is unclear: {why}")
    return valid("The replica caught up both times and has the same rows.")


def has_written_on(seen: Sequence[ReplicaSeen]) -> bool:
    """Whether the primary certainly wrote on."""
    return any(one.moment == RECONNECTIONS[1] and one.state != "unknown" for one in seen)


def _complaint(one: ReplicaSeen) -> str:
    if one.state == "stopped":
        return f"{one.moment.capitalize()}, the replica stopped: {one.error}."
    if one.state == "caught up" and one.different_rows:
        return f"{one.moment.capitalize()}, the replica reports no error, and {one.different_rows} rows differ."
    return ""
