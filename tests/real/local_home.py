"""What the tests of `up` and `demo` share: a home of their own, and what runs on it."""

import os
import time
from pathlib import Path

from tests.own_database import own_database

LIMIT_S = 180  # on a machine that is slow and busy


def environment(home):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("DURASCOPE_", "DJANGO_"))}
    return {**kept, **own_database(home), "DURASCOPE_HOME": str(home)}


def parts_of(home):
    """Pid to command line of everything that runs on this home (Redis writes its title over its environment)."""
    mark = f"DURASCOPE_HOME={home}\0".encode()
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if f"{home}/redis" in line or mark in (process / "environ").read_bytes():
                found[int(process.name)] = line
        except OSError:
            pass  # gone, or not ours to read
    return found


def part(home, words):
    return next((pid for pid, line in parts_of(home).items() if words in line), None)


def eventually(check, limit_s=LIMIT_S, pause_s=0.1):
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if found := check():
            return found
        time.sleep(pause_s)
    return None
