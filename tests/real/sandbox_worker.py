"""Not a test: the worker that test_sandbox_death.py kills. Prints the sandbox's folder and its server's pid."""

import sys
import threading
import time
from pathlib import Path

from workers.sandbox import builds
from workers.sandbox.server import Sandbox


def make() -> None:
    sandbox = Sandbox.create(Path(sys.argv[1]), builds.find("system-mariadb"), {}, name="doomed", trace=False)
    print(sandbox.folder, sandbox.pid, flush=True)


thread = threading.Thread(target=make)
thread.start()
thread.join()
time.sleep(600)
