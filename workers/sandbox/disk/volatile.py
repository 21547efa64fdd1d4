"""One volatile disk with an ext4 file system on it, mounted."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self, get_type_hints

from workers.errors import SandboxError, reason
from workers.host.child import ENDS_WITH_US
from workers.sandbox import owner, place, process, untrusted
from workers.sandbox.disk import system
from workers.sandbox.disk.cache import SECTOR_BYTES, Cut
from workers.sandbox.disk.device import DiskStats
from workers.sandbox.owner import Removable

PROJECT = Path(__file__).resolve().parents[3]
START_TIMEOUT_S = 60  # of a process, on a machine that may be busy
ANSWER_TIMEOUT_S = 30
POLL_S = 0.002
LEAST_BYTES = 16 << 20  # an ext4 with a journal
MKFS = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard,lazy_itable_init=1,lazy_journal_init=1")
NO_JOURNAL = ("-O", "^has_journal")
REPAIR_FAILED = ~3  # bits of e2fsck's status that mean more than "errors were corrected"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class BrokenFileSystem(SandboxError):
    """A power loss broke the file system below the server, and nothing can repair it."""


class VolatileDisk(Removable):
    """`create` makes one; `remove`, or the end of the `with` block, removes it. A `cut` loses everything below `mnt`
    that was not flushed. The disk ends with the process that made it, which is a power cut too.

    The order of a power loss: `hold_flushes`, freeze what writes, `cut`, kill it, `power_on`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.mnt = folder, folder / "mnt"
        self.image = folder / "image"
        self._file, self._control = folder / "disk", folder / "control"
        self._process: subprocess.Popen[bytes] | None = None
        self._device: Path | None = None

    @classmethod
    def create(
        cls, folder: Path, size_bytes: int = 1 << 30, *, image: Path | None = None, journal: bool = True
    ) -> Self:
        """A disk in the new folder `folder`, a child of `<root>/live` for the sweep.

        Empty and of that size, or a copy of `image` (a file such as `prepared.disk_image` makes; its size counts).
        Without a journal an append's fsync is one flush instead of two, and a cut damages the file system.
        SandboxError: nothing is left behind.
        """
        if size_bytes < LEAST_BYTES or size_bytes % 4096:
            raise SandboxError(f"A disk cannot have {size_bytes} bytes.", "At least 16 MiB, in blocks of 4 KiB.")
        disk = cls(owner.new_folder(folder.parent.absolute(), folder.name))
        try:
            disk._furnish(size_bytes, image, journal)
            disk._serve()
            disk._plug_in()
        except BaseException:
            disk.remove()
            raise
        return disk

    @property
    def pid(self) -> int:
        """Pid of the disk's process; 0: it has none."""
        return self._process.pid if self._process else 0

    @property
    def device(self) -> Path:
        """The block device below the file system. SandboxError: it was unplugged."""
        if self._device is None:
            raise SandboxError(f"The volatile disk in {self.folder} is unplugged.", "Make another one.")
        return self._device

    def hold_flushes(self) -> None:
        """No flush ends from now on: this is the moment of the power loss. `cut` must follow. In between the server is
        frozen and its last answers are read, without the flush in progress ending. Nobody may read the disk's files in
        between: a read would block until the cut."""
        self._tell("hold")

    def cut(self, keep_permille: int = 0, seed: int = 0, granularity: int = SECTOR_BYTES) -> Cut:
        """Cut the power. Unflushed data are lost, but for a random part in pieces of `granularity` bytes (512, 1024,
        2048, 4096); an equal seed keeps the same pieces. The disk still answers from memory, so that everything above
        it ends cleanly; the image does not change."""
        answer = self._tell(f"cut {keep_permille} {seed} {granularity}")
        return Cut(int(answer["lost"]), int(answer["kept"]))

    def lie(self, on: bool) -> None:
        """Acknowledge flushes and ignore them."""
        self._tell(f"lie {'on' if on else 'off'}")

    def storage(self, k_us: float, r_mbps: float = 0) -> None:
        """The time of a flush from now on: k_us microseconds + its bytes / r_mbps (0: no limit). An fsync of a file is
        one flush after an overwrite and two after an append (ext4: one for the data, one for the journal)."""
        self._tell(f"set {k_us:.3f} {r_mbps:.6f}")

    def stats(self) -> DiskStats:
        kinds = get_type_hints(DiskStats)
        return DiskStats(**{name: kinds[name](value) for name, value in self._tell("stat").items()})

    def power_on(self) -> str:
        """Unmount, drop the memory, mount again, which replays the journal. All users of the file system must be dead.
        A file system that a torn cut broke is repaired; the answer says so, "" without a repair. BrokenFileSystem: it
        cannot be repaired."""
        system.unmount(self.mnt)
        system.drop_cached(self.device)
        self._tell("reset")
        try:
            system.mount_ext4(self.device, self.mnt)
        except SandboxError as broken:
            return self._repaired(broken)
        return ""

    def _repaired(self, broken: SandboxError) -> str:
        done = _ran("e2fsck", "-f", "-y", self.device)
        system.drop_cached(self.device)
        if done.returncode & REPAIR_FAILED:
            raise BrokenFileSystem(
                f"The power loss broke the file system itself: {broken.message} e2fsck could not repair it: "
                f"{(done.stdout + done.stderr).strip()[-500:]}",
                "The state of the data is unknown. ext4 survives a power loss on a disk that keeps flushed data.",
            ) from broken
        system.mount_ext4(self.device, self.mnt)
        return f"{broken.message} e2fsck repaired the file system."

    def give_way(self) -> None:
        """Answer every waiting request, and drop unflushed data. A process that waits in the kernel for a disk cannot
        be killed, so this comes first. Never raises."""
        try:
            self._tell("cut")
        except SandboxError:
            self._kill()

    def unplug(self) -> Path:
        """Unmount with everything flushed and end the disk's process; the image is complete then."""
        system.unmount(self.mnt)
        self._end()
        return self.image

    def remove(self) -> None:
        """Unmount, detach, end the process, delete the folder. May be called twice."""
        try:
            if self._device:
                self._tell("cut")  # no data are needed any more
                system.unmount(self.mnt)
        except SandboxError:  # it hangs or is dead; killing its process ends every wait
            self._kill()
        owner.end_and_remove(self.folder, self._end)

    def _furnish(self, size_bytes: int, image: Path | None, journal: bool) -> None:
        place.require_short(self._control)
        owner.enterable(self.mnt)
        self._file.touch(mode=0o600)
        if image:
            copy_sparse(image, self.image)
        else:
            self.image.touch(mode=0o600)
            with self.image.open("r+b") as file:
                file.truncate(size_bytes)
            _run(*MKFS, *(() if journal else NO_JOURNAL), self.image)

    def _serve(self) -> None:
        argv = [sys.executable, "-S", "-P", "-m", "workers.sandbox.disk", self.image, self._file, self._control]
        environment = {"PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C"}
        log = self.folder / "disk.log"
        with os.fdopen(untrusted.new_log(log), "ab") as said:
            self._process = process.spawn(
                [*ENDS_WITH_US, *map(str, argv)], env=environment, cwd=Path("/"), output=said.fileno()
            )
        owner.write(self.folder, owner.myself(self._process.pid))
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._control.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SandboxError(
                    f"The volatile disk did not start: {log.read_text(errors='replace').strip()[-500:]}",
                    "Nothing was mounted.",
                )
            time.sleep(POLL_S)

    def _plug_in(self) -> None:
        self._device = system.attach(self._file)
        if (cache := system.write_cache(self.device)) != "write back":
            raise SandboxError(f"{self.device} does not pass flushes on ({cache}).", "Nothing was mounted.")
        system.mount_ext4(self.device, self.mnt)

    def _tell(self, line: str) -> dict[str, str]:
        """Send a command to the disk's process; returns its answer by name."""
        try:
            with socket.socket(socket.AF_UNIX) as line_out:
                line_out.settimeout(ANSWER_TIMEOUT_S)
                line_out.connect(str(self._control))
                line_out.sendall(line.encode())
                answer = line_out.makefile().readline()
        except OSError as error:
            raise SandboxError(f"The volatile disk does not answer: {reason(error)}.", "Remove it.") from error
        if not answer.startswith("ok"):
            raise SandboxError(f"The volatile disk refused {line!r}: {answer.strip()}", "Nothing was changed.")
        return dict(word.partition("=")[::2] for word in answer.split()[1:])

    def _end(self) -> None:
        """Remove everything below the file system. The process ends when its file is unmounted."""
        self._device = None
        try:
            system.dismantle(self.folder)
        finally:
            self._kill()

    def _kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()


def copy_sparse(source: Path, target: Path) -> None:
    """Holes stay holes, and blocks are shared where the host's file system can do that."""
    _run("cp", "--reflink=auto", "--sparse=always", "--", source, target)


def _ran(*argv: str | Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(argv, env={"PATH": SYSTEM_PATH, "LC_ALL": "C"}, capture_output=True, text=True)
    except OSError as error:
        raise SandboxError(f"{argv[0]} could not be run: {reason(error)}.", "Install it.") from error


def _run(*argv: str | Path) -> None:
    done = _ran(*argv)
    if done.returncode:
        raise SandboxError(f"{argv[0]} failed: {done.stderr.strip()}.", "Nothing was mounted.")
