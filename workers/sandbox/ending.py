"""Why a server ended or did not come up.

A server that lacks resources of its host shows nothing about a crash. It must never count as a server that refuses its
files.
"""

import re
import shutil
import signal
from pathlib import Path

LEAST_FREE_BYTES = 64 << 20  # a recovery may preallocate a log of this size
NO_SPACE = "28"
NUMBERS = f"11|12|13|23|24|{NO_SPACE}|30"  # errno(3): busy, memory, permission, files, space, read-only
QUOTA = "122"  # of the system; as a bare number and as "errno" servers print it for an error of a storage engine
LACKS = re.compile(
    r"No space left|Disk (?:is )?full|quota exceeded|Cannot allocate memory|Out of memory|Too many open files"
    r"|Permission denied|access rights|must be (?:writable|readable)|Address already in use"
    r"|Unable to lock \S+ error: 11\b"
    rf"|\b(?:errno|errcode)[ :=(]{{1,2}}(?:{NUMBERS})\b"
    rf"|Operating system error(?: number)?[ :=(]{{1,2}}(?:{NUMBERS}|{QUOTA})\b"
    rf"|\berror(?: number| code)?[ :=(]{{1,2}}{NO_SPACE}\b",
    re.IGNORECASE,
)
BY_OTHERS = (-signal.SIGKILL, -signal.SIGTERM)  # statuses of a server that the worker or the kernel ended


def lacked(last_words: str, *folders: Path) -> str:
    """What the host lacked, in words; "" when nothing is known."""
    for folder in filter(Path.is_dir, folders):
        if (free := shutil.disk_usage(folder).free) < LEAST_FREE_BYTES:
            return f"the disk is full ({free >> 20} MiB are free)"
    found = LACKS.search(last_words)
    return f"the host lacked something ({found[0]})" if found else ""


def how(status: int) -> str:
    if status >= 0:
        return f"it ended with status {status}"
    return f"it was ended by signal {-status} ({signal.Signals(-status).name})"
