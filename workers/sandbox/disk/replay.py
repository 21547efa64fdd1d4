"""A disk that becomes any state of a recording, without a copy of the recording's base."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from workers.sandbox import owner
from workers.sandbox.disk.image import Block, packed
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.served import ServedDisk


class ReplayDisk(ServedDisk):
    """`replay` makes one; `remove`, or the end of the `with` block, removes it. The base is only read, so several disks
    can share it. What is written to `mnt` lives in memory until the next state."""

    _flushes = False  # its power is never lost, and each flush is a round trip

    @classmethod
    def replay(cls, folder: Path, recording: Recording) -> Self:
        """A disk in the new folder `folder`, a child of `<root>/live` for the sweep. It is as the recording began.
        SandboxError: nothing is left behind."""
        disk = cls(owner.new_folder(folder.parent.absolute(), folder.name))
        try:
            disk._prepare()
            disk._serve(recording.base, "replay")
            disk._plug_in()
        except BaseException:
            disk.remove()
            raise
        return disk

    def become(self, blocks: Mapping[int, Block]) -> str:
        """Power on with these blocks over the base, as `States.blocks` gives them. Everything that used the file system
        must be dead. A repair of the file system is told, "" without one. BrokenFileSystem: it cannot be repaired."""
        with os.fdopen(os.memfd_create("blocks", os.MFD_CLOEXEC), "wb") as file:
            file.writelines(packed(blocks))
            file.flush()
            return self._remount("become", (file.fileno(),))
