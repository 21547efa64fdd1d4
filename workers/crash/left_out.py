"""Checks that a trial cannot make when the server sends its binary log, and its files are not on the worker's host."""

from collections.abc import Mapping

from workers.crash.checks import CHECKS
from workers.crash.evidence import Evidence

LEFT_OUT = "left out: "  # begins the names of the notes
ON_MANAGED = """\
Only the owner's command can crash a server of {service}. Durascope was tried on sandboxes, never on this service."""
WITHOUT_FILES: Mapping[str, str] = {
    "binlog-rewritten": "It compares the log with its files as the crash left them, before the recovery. A server that "
    "is down sends nothing.",
    "gtid-reused": "It needs the names of all transactions as the crash left them. Only a GTID that the log itself "
    "holds twice is found.",
}


def notes(evidence: Evidence, service: str) -> Mapping[str, str]:
    """A note of each check that was left out, and why. `service`: title of the managed service, "" on other hosts."""
    left = {f"{LEFT_OUT}Power loss and process kill": ON_MANAGED.format(service=service)} if service else {}
    if not evidence.files_expected:
        told = (key for key in WITHOUT_FILES if key != "gtid-reused" or not evidence.gtids_expected)
        left |= {f"{LEFT_OUT}{CHECKS[key].title}": WITHOUT_FILES[key] for key in told}
    return left
