"""Reads an uploaded file in a separate process. While Python parses, it holds its lock, so a hostile file would block
every page. A file that takes too much memory or time must not end the web server. One import at a time."""

import fcntl
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from django.conf import settings

from dashboard.installation.home import PROJECT
from dashboard.portable.actions import FileImport, import_file
from dashboard.portable.child import CPU_S, MEMORY_BYTES, WALL_S
from dashboard.portable.refused import NOTHING_STORED, REPORT, NotImported
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import require
from dashboard.records.experiments.models import Experiment
from workers.host.child import ENDS_WITH_US

SMALLER = "Export fewer measurements in one experiment. If a Durascope wrote this file, please report it."
BY_SIGNAL = 128  # from here on: the exit status of a process that a signal ended
log = logging.getLogger(__name__)


def import_apart(user: Actor, file: IO[bytes]) -> FileImport:
    """Calls `import_file` in the child. Raises NotImported, also while another import runs."""
    require(user, "import")
    if not settings.IMPORT_APART:
        return import_file(user, file)
    with _alone() as lock, _on_disk(file) as content:
        return _understood(_child(user, content, lock))


@contextmanager
def _alone() -> Iterator[int]:
    """The child inherits the lock: it is free when both have ended."""
    lock = os.open(settings.HOME / "import.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock
    except BlockingIOError:
        raise NotImported("Another import is under way", "Wait until it has ended, and try again.") from None
    finally:
        os.close(lock)


@contextmanager
def _on_disk(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Small uploads are in memory, but a child needs a file."""
    with TemporaryFile(dir=settings.HOME) as copy:
        file.seek(0)
        while some := file.read(1 << 20):
            copy.write(some)
        copy.flush()
        yield copy


def _child(user: Actor, content: IO[bytes], lock: int) -> subprocess.CompletedProcess[bytes]:
    who = json.dumps({"user": user.pk if user else None, "via": getattr(user, "via", "")})
    argv = [*ENDS_WITH_US, sys.executable, "-m", "dashboard.portable.child", who]
    try:
        return subprocess.run(
            argv, stdin=content, stdout=subprocess.PIPE, cwd=PROJECT, timeout=WALL_S, pass_fds=[lock], check=False
        )
    except subprocess.TimeoutExpired as late:
        raise NotImported(f"Reading it takes more than {WALL_S} s", SMALLER) from late


def _understood(child: subprocess.CompletedProcess[bytes]) -> FileImport:
    """The result that the child printed. A child that was killed or failed early printed none."""
    if child.returncode:
        log.error("the import ended with %s", child.returncode)
        if 0 < child.returncode < BY_SIGNAL:
            raise NotImported(f"Reading it failed with an unexpected error (exit status {child.returncode})", REPORT)
        most = f"{MEMORY_BYTES >> 20} MiB of memory or {CPU_S} s of the processor"
        raise NotImported(f"Reading it takes more than {most}, or broke off", SMALLER)
    said = json.loads(child.stdout)
    if "refused" in said:
        what, fix = said["refused"]
        raise NotImported(what.removesuffix(NOTHING_STORED), fix)
    return FileImport(Experiment.everything.get(pk=said["experiment"]), said["is_new"])
