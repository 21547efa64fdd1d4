"""The verdict of a trial in the words of pages, messages and API."""

from collections.abc import Iterable

NOTHING_LOST, COMMITS_LOST, OTHER_FAILURE, UNCLEAR = "nothing lost", "commits lost", "another failure", "unclear"


def verdict_label(verdict: str, lost: Iterable[int | None]) -> str:
    """`verdict`: a value of `Trial.Verdict`, "" for none. `lost`: acknowledged commits by place, None where not known.

    A trial can be invalid without a lost commit: the server stays down, a row is altered, a replica stops."""
    if verdict == "invalid":
        return COMMITS_LOST if any(lost) else OTHER_FAILURE
    return {"valid": NOTHING_LOST, "unknown": UNCLEAR}.get(verdict, "")
