"""A worker that believes the control group in a folder to be its own: the fault `memory limit reached` writes there.

    python -m tests.bench.chaos.worker FOLDER

No real limit is set: not every machine lets the bench make a control group of version 2.
"""

import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from workers.host import memory

OWN = "own"

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    memory.use.__defaults__ = (folder, folder / OWN)
    execute_from_command_line(["manage.py", "worker"])
