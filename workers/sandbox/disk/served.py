"""A disk's process, its block device and its mounted ext4 file system: what all simulated disks share."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.host.child import ENDS_WITH_US
from workers.host.until import until
from workers.sandbox import owner, place, process, untrusted
from workers.sandbox.disk import fuse, loops, system
from workers.sandbox.disk.loops import LoopDevice
from workers.sandbox.disk.tools import ran
from workers.sandbox.owner import Removable

PROJECT = Path(__file__).resolve().parents[3]
START_TIMEOUT_S = 60  # of a process, on a machine that may be busy
ANSWER_TIMEOUT_S = 30
POLL_S = 0.002
REPAIR_FAILED = ~3  # bits of e2fsck's status that mean more than "errors were corrected"


class BrokenFileSystem(SandboxError):
    """A power loss broke the file system below the server, and nothing can repair it."""


class ServedDisk(Removable):
    """`remove`, or the end of the `with` block, removes it. The disk ends with the process that made it."""

    _flushes = True  # of the file system, to the device

    def __init__(self, folder: Path) -> None:
        self.folder, self.mnt = folder, folder / "mnt"
        self._file, self._control, self._log = folder / "disk", folder / "control", folder / "disk.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._loop: LoopDevice | None = None

    @property
    def pid(self) -> int:
        """Pid of the disk's process; 0: it has none."""
        return self._process.pid if self._process else 0

    @property
    def device(self) -> Path:
        """The block device below the file system. SandboxError: it was unplugged."""
        if self._loop is None:
            raise SandboxError(f"The disk in {self.folder} is unplugged.", "Make another one.")
        return self._loop.path

    def give_way(self) -> None:
        """Answer every waiting request, and drop unflushed data. A process that waits in the kernel for a disk cannot
        be killed, so this comes first. Never raises."""
        try:
            self._tell("cut")
        except SandboxError:
            self._kill()

    def remove(self) -> None:
        """Unmount, detach, end the process, delete the folder. May be called twice."""
        try:
            if self._loop:
                self._tell("cut")  # no data are needed any more
                system.unmount(self.mnt)
        except SandboxError:  # it hangs or is dead; killing its process ends every wait
            self._kill()
        owner.end_and_remove(self.folder, self._end)

    def _prepare(self) -> None:
        """The folder's fixed parts."""
        place.require_short(self._control)
        owner.enterable(self.mnt)
        self._file.touch(mode=0o600)

    def _serve(self, image: Path, *options: str) -> None:
        try:
            served = fuse.mount(self._file)
        except OSError as error:
            raise SandboxError(f"No volatile disk: {reason(error)}.", "Nothing was mounted.") from error
        try:
            self._process = server = self._spawned(served, image, *options)
        finally:
            os.close(served)  # it ends with its process
        owner.write(self.folder, owner.myself(server.pid))
        until(lambda: self._control.exists() or server.poll() is not None, START_TIMEOUT_S, POLL_S)
        if not self._control.exists():
            why = self._log.read_text(errors="replace").strip()[-500:]
            raise SandboxError(f"The volatile disk did not start: {why}", "Nothing was mounted.")

    def _spawned(self, served: int, image: Path, *options: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-S", "-P", "-m", "workers.sandbox.disk", image, served, self._control, *options]
        environment = {"PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C"}
        with os.fdopen(untrusted.new_log(self._log), "ab") as said:
            return process.spawn(
                [*ENDS_WITH_US, *map(str, argv)],
                env=environment,
                cwd=Path("/"),
                output=said.fileno(),
                fds=(served,),
                outside=True,
            )

    def _plug_in(self) -> None:
        self._loop = loops.attach(self._file)
        if (cache := loops.write_cache(self.device)) != "write back":
            raise SandboxError(f"{self.device} does not pass flushes on ({cache}).", "Nothing was mounted.")
        self._mount()

    def _remount(self, command: str, fds: Sequence[int] = ()) -> str:
        """Unmount, give the disk this command, and mount what it is then, which replays the journal. All users of the
        file system must be dead. A file system that a torn cut broke is repaired; the answer says so, "" without a
        repair. BrokenFileSystem: it cannot be repaired."""
        if self.mnt.is_mount():  # not after a failure in between
            system.unmount(self.mnt)
        system.drop_cached(self.device)
        self._tell(command, fds)
        return self._mount()

    def _mount(self) -> str:
        try:
            system.mount_ext4(self.device, self.mnt, flushes=self._flushes)
        except SandboxError as broken:
            return self._repaired(broken)
        return ""

    def _repaired(self, broken: SandboxError) -> str:
        done = ran("e2fsck", "-f", "-y", self.device)
        system.drop_cached(self.device)
        if done.returncode & REPAIR_FAILED:
            raise BrokenFileSystem(
                f"The power loss broke the file system itself: {broken.message} e2fsck could not repair it: "
                f"{(done.stdout + done.stderr).strip()[-500:]}",
                "The state of the data is unknown. ext4 survives a power loss on a disk that keeps flushed data.",
            ) from broken
        system.mount_ext4(self.device, self.mnt, flushes=self._flushes)
        return f"{broken.message} e2fsck repaired the file system."

    def _tell(self, line: str, fds: Sequence[int] = ()) -> dict[str, str]:
        """Send a command to the disk's process, with these open files; returns its answer by name."""
        try:
            with socket.socket(socket.AF_UNIX) as line_out:
                line_out.settimeout(ANSWER_TIMEOUT_S)
                line_out.connect(str(self._control))
                socket.send_fds(line_out, [line.encode()], fds)
                answer = line_out.makefile().readline()
        except OSError as error:
            raise SandboxError(f"The volatile disk does not answer: {reason(error)}.", "Remove it.") from error
        if not answer.startswith("ok"):
            raise SandboxError(f"The volatile disk refused {line!r}: {answer.strip()}", "Nothing was changed.")
        return dict(word.partition("=")[::2] for word in answer.split()[1:])

    def _end(self) -> None:
        """Remove everything below the file system. The process ends when its file is unmounted."""
        loop, self._loop = self._loop, None
        if loop:
            loop.let_go()
        try:
            system.dismantle(self.folder)
        finally:
            self._kill()

    def _kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
