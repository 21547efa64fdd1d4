"""Checks that a trial cannot make when the server sends its binary log, and its files are not on the worker's host."""

from collections.abc import Mapping

from workers.crash.checks import CHECKS
from workers.crash.evidence import Evidence

WITHOUT_FILES: Mapping[str, str] = {
    "binlog-rewritten": "It compares the log with its files as the crash left them, before the recovery. A server that "
    "is down sends nothing.",
    "gtid-reused": "It needs the names of all transactions as the crash left them. Only a GTID that the log itself "
    "holds twice is found.",
}


def notes(evidence: Evidence) -> Mapping[str, str]:
    """A note of each check that was left out, and why."""
    if evidence.files_expected:
        return {}
    left = {key: why for key, why in WITHOUT_FILES.items() if key != "gtid-reused" or not evidence.gtids_expected}
    return {f"left out: {CHECKS[key].title}": why for key, why in left.items()}
