"""The verdict of a trial in the words of pages, messages and API."""

from collections.abc import Iterable

from workers.topology.faults import FAULTS

NOTHING_LOST, COMMITS_LOST, OTHER_FAILURE, UNCLEAR = "nothing lost", "commits lost", "another failure", "unclear"
READ_THEN_LOST = "commits read, then lost"
REPLICA_STOPPED = "replica stopped"


def verdict_label(
    verdict: str, lost: Iterable[int | None], phantoms: int | None = None, *, stopped: bool = False
) -> str:
    """`verdict`: a value of `Trial.Verdict`, "" for none. `lost`: acknowledged commits by place, None where not known.
    `phantoms`: commits that others read and that a failover lost before they were acknowledged. `stopped`: see
    `replica_stopped`.

    A trial can be invalid without a lost commit: the server stays down, a row is altered, a replica stops."""
    if verdict == "invalid":
        return COMMITS_LOST if any(lost) else READ_THEN_LOST if phantoms else OTHER_FAILURE
    if verdict == "valid" and stopped:
        return REPLICA_STOPPED
    return {"valid": NOTHING_LOST, "unknown": UNCLEAR}.get(verdict, "")


def replica_stopped(kind: str, verdict: str, lost_replica: int | None) -> bool:
    """A replica that crashed refuses to go on, and says so: nobody is misled, and it must be rebuilt. What it lacks is
    then not counted."""
    return verdict == "valid" and lost_replica is None and kind in FAULTS and FAULTS[kind].of_replica
