"""Not a test: what test_rights.py runs with some capabilities. It does what a crash worker does, in FOLDER, and prints
what it says about its capabilities and what failed. PID: a process of the user of sandboxes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.host import ability, punctual
from workers.sandbox import untrusted
from workers.sandbox.disk import ability as disk
from workers.sandbox.room import Room
from workers.sandbox.users import unprivileged_user
from workers.topology.network import ability as network

folder, pid, user = Path(sys.argv[1]), int(sys.argv[2]), unprivileged_user()


def becomes_the_user() -> str:
    return subprocess.run([*user.setpriv, "true"], capture_output=True, text=True, check=False).stderr.strip()


def is_punctual() -> str:
    punctual.be_punctual()
    return "" if os.sched_getscheduler(0) == os.SCHED_RR else "not scheduled in real time"


DONE = {
    "gives a folder": lambda: user.folder(folder / "given") and "",
    "reads a folder": lambda: str(untrusted.size_bytes(folder / "theirs"))[:0],
    "links a socket": lambda: "" if Room(folder, user).has_socket() else "not linked",
    "ends a process": lambda: os.kill(pid, signal.SIGURG) or "",  # which does nothing
    "becomes the user": becomes_the_user,
    "power loss": disk.missing,
    "network": network.missing,
    "real time": is_punctual,
}


def tried(name: str) -> str:
    try:
        return DONE[name]()
    except (SandboxError, OSError) as failed:
        return reason(failed)


failed = {name: why for name in DONE if (why := tried(name))}
print(json.dumps({"says": ability.lacking(), "failed": failed}))
