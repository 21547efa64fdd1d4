"""Why a server ended or did not come up, in words that name the cause.

A server that lacks something of its host says nothing about what a crash did to it: that must never be taken for a
server that refuses what it found in its files.
"""

import re
import shutil
import signal
from pathlib import Path

LEAST_FREE_BYTES = 64 << 20  # a recovery that preallocates a log of this size fails with less
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
BY_OTHERS = (-signal.SIGKILL, -signal.SIGTERM)  # statuses of a server that was ended: by us, or by the kernel


def lacked(last_words: str, *folders: Path) -> str:
    """What the host lacked, in words; "" where nothing is known of that."""
    for folder in filter(Path.is_dir, folders):
        if (free := shutil.disk_usage(folder).free) < LEAST_FREE_BYTES:
            return f"the disk is full ({free >> 20} MiB are free)"
    found = LACKS.search(last_words)
    return f"the host lacked something ({found[0]})" if found else ""


def how(status: int) -> str:
    if status >= 0:
        return f"it ended with status {status}"
    return f"it was ended by signal {-status} ({signal.Signals(-status).name})"
