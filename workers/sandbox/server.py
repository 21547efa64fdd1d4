"""A sandbox: a private server in its own folder, made from an image and removed afterwards."""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from workers.errors import AccessDenied, SandboxError, SandboxLost, ServerEnded, ServerError
from workers.host.until import until
from workers.metrics import fsync_table
from workers.sandbox import durable, images, options, owner, place, plugins, port, process, untrusted
from workers.sandbox.additions import NOTHING, Additions
from workers.sandbox.builds import Build
from workers.sandbox.disk import system
from workers.sandbox.flavours import FAMILIES
from workers.sandbox.log_places import IN_DATADIR, LogPlaces
from workers.sandbox.logs import BY_OTHERS, Logs, how_it_ended, lacked_resource
from workers.sandbox.namespace import Namespace
from workers.sandbox.owner import Removable
from workers.sandbox.process import Fence
from workers.sandbox.room import Room
from workers.sandbox.users import User, unprivileged_user
from workers.servers.connection import connect
from workers.servers.target import Target

ACCOUNT = "durascope"
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 120  # twice the wait of an applier of MySQL for the rest of a transaction
KILL_TIMEOUT_S = 30  # a process that waits in the kernel for a device ends only when the device answers
REFUSED_S = 5.0  # a server that does not know our account now will never know it
FREEZE_TIMEOUT_S = 20
PORT_ATTEMPTS = 3
POLL_S = 0.01
LEAVES_S = 2.0  # from the last answer of a process to its end
FREEZE_POLL_S = 0.0005
UUID_FILE = "auto.cnf"


@dataclass(frozen=True)
class Recovery:
    """A start after a crash: seconds until the first answer, and the server's log lines."""

    seconds: float
    log_lines: tuple[str, ...]


class Sandbox(Removable):
    """A running server. `create` makes one; `remove`, or the end of the `with` block, removes it.

    `target`: address and account; `my_cnf`: text of the option file; `trace_file`: table of its fsync calls (None: not
    counted, `trace_missing` says why). It ends with the process that made it.
    """

    def __init__(
        self,
        root: Path,
        folder: Path,
        build: Build,
        user: User,
        name: str,
        datadir: Path,
        logs: LogPlaces = IN_DATADIR,
        additions: Additions = NOTHING,
        namespace: Namespace | None = None,
    ) -> None:
        self.root, self.folder, self.build, self.user, self.name = root, folder, build, user, name
        self.datadir, self.logs, self.additions, self.namespace = datadir, logs, additions, namespace
        self._room = Room(folder, user)
        self.my_cnf = ""
        self.trace_file: Path | None = None
        self.trace_missing = "The fsync trace was not asked for."
        self._trace_library: Path | None = None
        self._logs = Logs(folder)
        self._password = secrets.token_hex(16)
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped_cleanly = False
        self._ended_by_us = False

    @classmethod
    def create(
        cls,
        root: Path,
        build: Build,
        settings: Mapping[str, str],
        *,
        name: str,
        image_key: str = "",
        trace: bool = True,
        user: str = "",
        datadir_on: Path | None = None,
        logs: LogPlaces = IN_DATADIR,
        additions: Additions = NOTHING,
        namespace: Namespace | None = None,
    ) -> Self:
        """Make and start a sandbox below `root`.

        `settings`: server variables, `log_bin` as ON or OFF. `image_key`: an image kept with `save_image`;
        empty: a server fresh from its installation. `user`: who runs it when we are root (`unprivileged_user`).
        `datadir_on`: a folder, such as the `mnt` of a volatile disk, whose child `data` is the datadir; an existing one
        is used, as on a disk of `prepared.new_disk`. `logs`: places of redo log and binlog outside the datadir.
        `additions`: from this program and never from a plan. `namespace`: the server lives in this network and listens
        on this address; the worker reaches it by its unix socket. All other files are below `root`.
        SandboxError: nothing is left behind.
        """
        options.check(settings)
        root, who = root.absolute(), unprivileged_user(user)
        place.prepare(root, who)
        image = images.of(root, build, who, image_key)
        is_prepared = datadir_on is not None and (datadir_on / "data").is_dir()
        place.require_space(datadir_on or root, 0 if is_prepared else untrusted.size_bytes(image))
        folder = owner.new_folder(root / "live")
        place_of_data = (datadir_on or folder) / "data"
        sandbox = cls(root, folder, build, who, name, place_of_data, logs, additions, namespace)
        try:
            sandbox._furnish(image, trace)
            sandbox._start(settings, init_file=sandbox._account_file())
            if datadir_on:
                sandbox.settle()
        except BaseException:
            sandbox.remove()
            raise
        return sandbox

    def twin(self, datadir_on: Path, logs: LogPlaces = IN_DATADIR) -> "Sandbox":
        """A stopped server of the same build and account on another copy of the data: `recover` starts it."""
        folder = owner.new_folder(self.root / "live")
        other = Sandbox(self.root, folder, self.build, self.user, self.name, datadir_on / "data", logs)
        other._room.furnish()
        other._password = self._password
        return other

    @property
    def target(self) -> Target:
        return Target(
            name=self.name,
            kind="sandbox",
            user=ACCOUNT,
            password=self._password,
            host=self._address,
            port=self._port,
            socket=str(self._room.socket),
            tls="off",
        )

    @property
    def _address(self) -> str:
        return self.namespace.address if self.namespace else "127.0.0.1"

    @property
    def pid(self) -> int:
        """The server's process id; SandboxError when it does not run."""
        if not self.running or self._process is None:
            raise SandboxError(f"The sandbox {self.name} does not run.", "Start it: restart(settings).")
        return self._process.pid

    @property
    def binlog_index(self) -> Path:
        return self.logs.binlog_index(self.datadir)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def restart(self, settings: Mapping[str, str], while_down: Callable[[], None] = lambda: None) -> Target:
        """Stop, and start again with these settings instead of the old ones. Returns the new address."""
        options.check(settings)
        self.stop()
        while_down()
        self._logs.forget()
        self._start(settings)
        return self.target

    def recover(self, settings: Mapping[str, str]) -> Recovery:
        """Start again after a crash. The error log from before is kept."""
        options.check(settings)
        self.kill()
        self._logs.keep()
        began = time.monotonic()
        self._start(settings, doing="recovery")
        return Recovery(time.monotonic() - began, self._logs.lines)

    def run_once(self, settings: Mapping[str, str]) -> tuple[str, ...]:
        """Start the server for a task after which it ends by itself; its log lines. SandboxError: it does not end."""
        options.check(settings)
        self.kill()
        self._logs.keep()
        self._launch(settings, None)
        if not until(lambda: not self.running, START_TIMEOUT_S, POLL_S):
            self.kill()
            raise self._did_not_start(SandboxError, f"its task took longer than {START_TIMEOUT_S} s")
        return self._logs.lines

    @property
    def log_text(self) -> str:
        """The error logs since the last restart, the oldest first."""
        return self._logs.text

    def forget_logs(self) -> None:
        """Of a stopped server."""
        self._logs.forget()

    def settle(self) -> None:
        """Make all data durable, whatever the settings: a crash must not lose the preparation of a trial."""
        self.flush_logs()
        self.write_back()

    def write_back(self) -> None:
        for folder in (self.datadir, *self.logs.folders):
            system.write_out(folder)

    def flush_logs(self) -> None:
        durable.flush_logs(self.target)

    def stop(self) -> None:
        """Shut down as a service manager does. SandboxError: it took too long, and the server was killed."""
        if not self.running or self._process is None:
            return
        self._ended_by_us = True
        self._process.terminate()
        try:
            self._stopped_cleanly = self._process.wait(STOP_TIMEOUT_S) == 0
        except subprocess.TimeoutExpired:
            self.kill()
            raise SandboxError(
                f"The sandbox {self.name} did not stop within {STOP_TIMEOUT_S} s and was killed.",
                "Its data were not saved.",
            ) from None

    def freeze(self, *, between_calls: bool = False) -> None:
        """Stop the process where it is; `kill` still works. After this, no client gets an answer. A flush may still be
        in progress; a power cut interrupts it, as a real one would. `between_calls`: writes and flushes that were under
        way have ended."""
        pid = self.pid
        os.kill(pid, signal.SIGSTOP)
        also = "" if between_calls else "D"
        if not until(lambda: process.at_rest(pid, also=also), FREEZE_TIMEOUT_S, FREEZE_POLL_S):
            raise SandboxError(f"The sandbox {self.name} could not be frozen.", "Remove it.")

    def go_on(self) -> None:
        """After `freeze`. A server that ended meanwhile stays down."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the process at once, as kill -9 does. SandboxError: it waits for a device that does not answer."""
        if self._process is None:
            return
        self._ended_by_us = self._ended_by_us or self.running
        self._process.kill()
        try:
            self._process.wait(KILL_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise SandboxError(
                f"The server of the sandbox {self.name} did not end within {KILL_TIMEOUT_S} s of a kill. "
                "It waits for a device that does not answer.",
                "It ends when that device is removed.",
            ) from None

    def save_image(self, key: str) -> Path:
        """Keep the datadir of a cleanly stopped sandbox under `<root>/images/<key>`, without its binlog."""
        if self.running or not self._stopped_cleanly:
            raise SandboxError(f"The sandbox {self.name} was not stopped cleanly.", "No image was made. stop() first.")
        return images.ensure(self.root, key, self._copy_data)

    def remove(self) -> None:
        """Kill the server and delete its folder. May be called twice."""
        owner.end_and_remove(self.folder, self.kill)

    def _furnish(self, image: Path, trace: bool) -> None:
        self._room.furnish()
        if not self.datadir.exists():
            images.copy(image, self.datadir, self.user)
            untrusted.remove(self.datadir, [UUID_FILE])  # two servers of one UUID do not replicate
        self.logs.prepare(self.datadir, self.user)
        for name, text in self.additions.files.items():
            self.put(name, text)
        if trace:
            self.trace_missing = fsync_table.missing()
        if trace and not self.trace_missing:
            library = fsync_table.library(self.root / "tools", self.build.layout.libc)
            self.trace_missing = self.build.refuses(library, self.user)
            if not self.trace_missing:
                self._trace_library, self.trace_file = library, self.folder / "fsync.table"

    def put(self, name: str, text: str) -> None:
        """A file into the datadir of a server that does not run."""
        untrusted.remove(self.datadir, [name])
        with os.fdopen(untrusted.new_file(self.datadir / name), "w") as file:
            self.user.own(file.fileno())
            file.write(text)

    def _copy_data(self, to: Path) -> None:
        images.copy(self.datadir, to, self.user, redo_in_full=False)
        self.logs.bring_back(to, self.user)
        untrusted.remove(to, [f"{options.BINLOG_BASE}.*", UUID_FILE])

    def _account_file(self) -> Path:
        """SQL that makes our account, readable to the server only; `_start` deletes it again."""
        sql = FAMILIES[self.build.flavour].account_sql(self.build.version).format(password=self._password)
        return self._room.give("account.sql", sql.encode())

    def _start(self, settings: Mapping[str, str], init_file: Path | None = None, doing: str = "start") -> None:
        self._stopped_cleanly = False
        self._require_folders()
        plugins.require_can_run(self.build, self.name)
        try:
            for attempt in range(1, PORT_ATTEMPTS + 1):
                self._port = self._port if port.is_free(self._port) else port.free_port()
                self._launch(settings, init_file)
                if self._wait_until_up(doing):
                    plugins.require_run(self.build, self.target, self._logs.last_words)
                    return
                if "Address already in use" not in self._logs.last_words or attempt == PORT_ATTEMPTS:
                    raise self._ended()
        except BaseException:
            self.kill()
            raise
        finally:
            if init_file:
                init_file.unlink(missing_ok=True)

    def _require_folders(self) -> None:
        for folder in (self.folder, self.datadir):
            if not folder.is_dir():
                raise SandboxError(
                    f"The sandbox {self.name} was not started: its folder {folder} is gone.",
                    "Another process removed it.",
                )

    def _launch(self, settings: Mapping[str, str], init_file: Path | None) -> None:
        self.my_cnf = options.my_cnf(self.build, self.folder, self._port, settings, self.datadir, self._address)
        self.my_cnf += self.logs.options(settings, self.datadir) + self.additions.option_lines
        cnf = self._room.give("my.cnf", self.my_cnf.encode())
        argv = [
            *self.build.command(self._trace_library),
            f"--defaults-file={cnf}",
            *([f"--init-file={init_file}"] if init_file else []),
        ]
        env, fence = self._environment(), self._fence()
        self._ended_by_us = False
        with os.fdopen(self._logs.begin(), "ab") as said:
            self._process = process.start(argv, self.user, fence, env=env, cwd=self.folder, output=said.fileno())
        owner.write(self.folder, owner.myself(self._process.pid))

    def _environment(self) -> dict[str, str]:
        env = self.build.environment(self._trace_library) | {"HOME": str(self.folder)} | self.additions.environment
        if self._trace_library and self.trace_file:
            self._room.give(self.trace_file.name, fsync_table.empty())
            env["FSYNCTRACE_TABLE"] = str(self.trace_file)
        return env

    def _fence(self) -> Fence:
        tools = (self._trace_library,) if self._trace_library else ()
        tables = (self.trace_file,) if self.trace_file else ()
        return Fence(
            (*self.build.parts, self.folder, *tools, *self.additions.readable),
            (self.datadir, *self.logs.folders, *self._room.of_the_user, *tables),
            self.namespace.path if self.namespace else None,
        )

    def _wait_until_up(self, doing: str) -> bool:
        """True when the server answers, False when it has ended."""
        deadline, says = time.monotonic() + START_TIMEOUT_S, f"its {doing} took longer than {START_TIMEOUT_S} s"
        while self.running:
            try:
                if self._answers(deadline - time.monotonic()):
                    return True
            except AccessDenied as lost:
                deadline, says = min(deadline, time.monotonic() + REFUSED_S), f"our account was lost ({lost})"
            if time.monotonic() > deadline:
                raise self._did_not_start(SandboxError, says)
            time.sleep(POLL_S)
        return False

    def _answers(self, limit_s: float) -> bool:
        """Waits at most `limit_s` for a server that accepts and sends nothing."""
        if not self._room.has_socket():
            return False
        try:
            connect(self.target, timeout_s=max(limit_s, POLL_S)).close()
        except AccessDenied:
            raise
        except ServerError:
            return False
        return True

    def lacks(self) -> str:
        """What the host took from the server: disk space, memory, its process; "" when nothing is known."""
        status = self._process.poll() if self._process else None
        lacked = lacked_resource(self._logs.last_words, self.folder, self.datadir)
        return lacked or (how_it_ended(status) if status in BY_OTHERS else "")

    def lost(self) -> SandboxLost | None:
        """Why its server is gone; None: it runs. After an answer that did not come."""
        if not until(lambda: not self.running, LEAVES_S, POLL_S):
            return None
        status = self._process.returncode if self._process else 0
        why = "Durascope had stopped it" if self._ended_by_us else self.lacks() or how_it_ended(status)
        return SandboxLost(
            f"The server of the sandbox {self.name} is gone: {why}. Its error log ends with: {self._logs.last_words}",
            "Resume the experiment. If it ends again, see whether its host lacks memory (journalctl -k) or disk space.",
        )

    def _ended(self) -> SandboxError:
        """ServerEnded when it ended by itself: not killed, and no lack of disk space or memory."""
        status, lacks = self._process.returncode if self._process else None, self.lacks()
        kind = SandboxError if status is None or lacks else ServerEnded
        return self._did_not_start(kind, lacks or how_it_ended(status or 0))

    def _did_not_start(self, kind: type[SandboxError], why: str) -> SandboxError:
        said = f"Its error log ends with: {self._logs.last_words}"
        return kind(f"The sandbox {self.name} did not start: {why}. {said}", "Check the settings it was given.")
