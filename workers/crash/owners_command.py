"""An owner's command that crashes or starts a server: a list of arguments, run on this host without a shell.

Its environment holds no secret of the worker, because pages show its output.

It ends with the thread that runs it: a crash command that outlived its worker could take down a restarted server. Its
background processes, such as a server, go on.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from typing import IO

from workers.errors import SandboxError, reason
from workers.host.child import ENDS_WITH_US

# dashboard.findings.redact finds these messages by their words: guests see neither program nor output.
LAST_WORDS = 500
LAST_BYTES = 8 * LAST_WORDS  # a character has up to four, and space at the end is left out
PASSED_ON = ("PATH", "HOME", "SSH_AUTH_SOCK")  # of the worker's environment, for ssh
DOUBT = "Check the server by hand: it may be down."
FIX = "Correct the command."


class OwnersCommand:
    """`run` a command; `kill`, from another thread, ends it with its child processes."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._running: subprocess.Popen[bytes] | None = None

    def run(self, argv: tuple[str, ...], what: str) -> None:
        """Wait until it succeeds; else SandboxError. Messages hold only the program's name, because arguments may be
        secret."""
        with tempfile.TemporaryFile() as output:  # not a pipe: background processes may keep it open
            status = self._wait(argv, what, output)
            output.seek(max(0, output.seek(0, os.SEEK_END) - LAST_BYTES))
            said = output.read().decode(errors="replace").strip()
        if status:
            raise SandboxError(f"The {what} command {argv[0]} ended with status {status}: {said[-LAST_WORDS:]}", DOUBT)

    def kill(self) -> None:
        """It leads its own process group; processes that left the group, such as services, go on."""
        running = self._running
        if running and running.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)

    def start(
        self, argv: tuple[str, ...], what: str, output: IO[bytes], told: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        """Begin it, and do not wait. `told`: more of its environment. SandboxError: it cannot be run."""
        if not shutil.which(argv[0]):
            raise SandboxError(f"The {what} command could not be run: there is no program {argv[0]}.", FIX)
        passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        try:
            self._running = subprocess.Popen(
                [*ENDS_WITH_US, *argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**passed_on, "LC_ALL": "C", **told},
            )
        except (OSError, ValueError) as error:
            raise SandboxError(f"The {what} command could not be run: {reason(error)}.", FIX) from error
        return self._running

    def _wait(self, argv: tuple[str, ...], what: str, output: IO[bytes]) -> int:
        """Its exit status."""
        running = self.start(argv, what, output, {})
        try:
            return running.wait(self._limit_s)
        except subprocess.TimeoutExpired as late:
            self.kill()
            running.wait()
            raise SandboxError(f"The {what} command {argv[0]} did not end within {self._limit_s:g} s.", DOUBT) from late
