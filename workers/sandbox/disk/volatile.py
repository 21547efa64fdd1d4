"""One volatile disk with an ext4 file system on it, mounted."""

import os
from pathlib import Path
from typing import Self, get_type_hints

from workers.errors import SandboxError, reason
from workers.sandbox import owner, untrusted
from workers.sandbox.disk import system
from workers.sandbox.disk.cache import SECTOR_BYTES, Cut
from workers.sandbox.disk.device import DiskStats
from workers.sandbox.disk.recording.recording import BASE, EVENTS
from workers.sandbox.disk.served import ServedDisk
from workers.sandbox.disk.tools import copy_sparse, run

LEAST_BYTES = 16 << 20  # an ext4 with a journal
MKFS = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard,lazy_itable_init=1,lazy_journal_init=1")
NO_JOURNAL = ("-O", "^has_journal")
RECORDED_BYTES = 1 << 30  # of a recording, unless told otherwise


class VolatileDisk(ServedDisk):
    """`create` makes one; `remove`, or the end of the `with` block, removes it. A `cut` loses everything below `mnt`
    that was not flushed. The disk ends with the process that made it, which is a power cut too.

    The order of a power loss: `hold_flushes`, freeze what writes, `cut`, kill it, `power_on`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.image = folder / "image"

    @classmethod
    def create(
        cls, folder: Path, size_bytes: int = 1 << 30, *, image: Path | None = None, journal: bool = True
    ) -> Self:
        """A disk in the new folder `folder`, a child of `<root>/live` for the sweep.

        Empty and of that size, or a copy of `image` (the file of such a disk; its size counts).
        Without a journal an append's fsync is one flush instead of two, and a cut damages the file system.
        SandboxError: nothing is left behind.
        """
        if size_bytes < LEAST_BYTES or size_bytes % 4096:
            raise SandboxError(f"A disk cannot have {size_bytes} bytes.", "At least 16 MiB, in blocks of 4 KiB.")
        disk = cls(owner.new_folder(folder.parent.absolute(), folder.name))
        try:
            disk._furnish(size_bytes, image, journal)
            disk._serve(disk.image)
            disk._plug_in()
        except BaseException:
            disk.remove()
            raise
        return disk

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
        """The disk is as the cut left it. All users of the file system must be dead. A file system that a torn cut
        broke is repaired; the answer says so, "" without a repair. BrokenFileSystem: it cannot be repaired."""
        return self._remount("reset")

    def write_out(self) -> None:
        """Everything that the file system was given reaches the disk: what a kill of its users leaves."""
        system.write_out(self.mnt)

    def record(self, folder: Path, most_bytes: int = RECORDED_BYTES) -> None:
        """Record every write and flush from now on, into the new folder `folder`, see `disk.recording`. Flushes wait
        while the image is copied there. The recording ends at `stop_recording`, at a cut, when it has `most_bytes`, or
        when the host cannot store more; the disk goes on. SandboxError: nothing is recorded."""
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise SandboxError(f"{folder} cannot hold a recording: {reason(error)}.", "Name another.") from error
        self._tell("hold")
        try:
            copy_sparse(self.image, folder / BASE)
            with os.fdopen(untrusted.new_log(folder / EVENTS), "ab") as file:
                self._tell(f"record {most_bytes}", (file.fileno(),))
        except BaseException:
            untrusted.remove_tree(folder)
            raise
        finally:
            self._tell("release")

    def stop_recording(self) -> None:
        """May be called when the recording has ended by itself."""
        self._tell("stop")

    def unplug(self) -> Path:
        """Unmount with everything flushed and end the disk's process; the image is complete then."""
        system.unmount(self.mnt)
        self._end()
        return self.image

    def _furnish(self, size_bytes: int, image: Path | None, journal: bool) -> None:
        self._prepare()
        if image:
            copy_sparse(image, self.image)
        else:
            self.image.touch(mode=0o600)
            with self.image.open("r+b") as file:
                file.truncate(size_bytes)
            run(*MKFS, *(() if journal else NO_JOURNAL), self.image)
