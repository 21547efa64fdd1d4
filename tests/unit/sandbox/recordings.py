"""For tests: recordings made by a real recorder, without a process or a mount. Its clock ticks once an event."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from workers.sandbox import untrusted
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.events import Kind, Recorder
from workers.sandbox.disk.recording.recording import BASE, EVENTS, Recording


@dataclass
class Written:
    """Events are appended by its methods; `load` reads them back."""

    folder: Path
    blocks: int = 6
    most_bytes: int = 1 << 30
    base: bytes = b""
    clock: Iterator[int] = field(default_factory=lambda: count(1))
    recorder: Recorder = field(init=False)

    def __post_init__(self) -> None:
        size = self.blocks * BLOCK_BYTES
        (self.folder / BASE).write_bytes(self.base or bytes(size))
        fd = untrusted.new_log(self.folder / EVENTS)
        self.recorder = Recorder(fd, self.most_bytes, size, self.clock.__next__)

    def write(self, block: int, byte: bytes, blocks: int = 1) -> None:
        self.recorder.write(block * BLOCK_BYTES, byte * blocks * BLOCK_BYTES)

    def flush(self) -> None:
        self.recorder.note(Kind.FLUSH_BEGAN)
        self.recorder.note(Kind.FLUSH_ENDED)

    def load(self) -> Recording:
        self.recorder.stop()
        return Recording.load(self.folder)
