"""The disk as a device: flushes in series that take their time, and counters."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from workers.sandbox.disk.cache import SECTOR_BYTES, Cache, Cut
from workers.sandbox.disk.image import BLOCK_BYTES, Block, StateImage
from workers.sandbox.disk.recording.events import Kind, Recorder, RecordingEnd

Answer = Callable[[OSError | None], None]


@dataclass
class Counters:
    """Since the disk was made."""

    reads: int = 0
    writes: int = 0
    write_bytes: int = 0
    flushes: int = 0  # that let their blocks through to the image
    flush_bytes: int = 0
    flush_ns: int = 0
    ignored: int = 0  # flushes that were acknowledged and did nothing: lying, or after a cut
    cuts: int = 0


@dataclass(kw_only=True)
class DiskStats(Counters):
    """The counters and the present state. `lost_bytes` and `kept_bytes` are those of the last cut."""

    size_bytes: int
    pending_bytes: int
    frozen: int
    lying: int
    k_us: float
    r_mbps: float
    lost_bytes: int
    kept_bytes: int


@dataclass(frozen=True)
class FlushInProgress:
    """A flush in progress, by the monotonic clock."""

    began_ns: int
    ends_ns: int
    n_bytes: int
    answer: Answer


class VolatileDevice:
    """A flush takes `k_us` microseconds, and one more for every `r_mbps` bytes (0: none). A lying device
    acknowledges flushes at once and keeps everything in memory."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.counters = Counters()
        self.last_cut = Cut()
        self.k_us, self.r_mbps, self.lying, self.holds_flushes = 0.0, 0.0, False, False
        self._recorder: Recorder | None = None
        self._flush: FlushInProgress | None = None
        self._waiting: deque[Answer] = deque()

    def read(self, offset: int, length: int) -> bytes:
        self.counters.reads += 1
        return self.cache.read(offset, max(0, min(length, self.cache.size_bytes - offset)))

    def write(self, offset: int, data: memoryview) -> None:
        self.counters.writes += 1
        self.counters.write_bytes += len(data)
        if self._recorder:
            self._recorder.write(offset, data)
        self.cache.write(offset, data)

    def flush(self, answer: Answer) -> None:
        """`answer(None)` is called when all earlier writes are in the image, `answer(error)` after a failure: at once
        if a flush takes no time, else by `tick`."""
        if self._flush or self.holds_flushes:
            self._waiting.append(answer)
        elif self.lying or self.cache.frozen:
            self.counters.ignored += 1
            self._note(Kind.FLUSH_IGNORED)
            answer(None)
        else:
            now, n_bytes = time.monotonic_ns(), self.cache.begin_flush()
            self._note(Kind.FLUSH_BEGAN)
            cost_ns = int(1000 * (self.k_us + (n_bytes / self.r_mbps if self.r_mbps else 0)))
            self._flush = FlushInProgress(now, now + cost_ns, n_bytes, answer)
            if not cost_ns:
                self._finish()

    def wait_s(self) -> float | None:
        """Time until `tick` has work; None: until the next flush."""
        if self.holds_flushes or not self._flush:
            return None
        return max(0, self._flush.ends_ns - time.monotonic_ns()) / 1e9

    def tick(self) -> None:
        while self._flush and not self.holds_flushes and self._flush.ends_ns <= time.monotonic_ns():
            self._finish()

    def stats(self) -> DiskStats:
        return DiskStats(
            **vars(self.counters),
            size_bytes=self.cache.size_bytes,
            pending_bytes=self.cache.pending_bytes,
            frozen=self.cache.frozen,
            lying=self.lying,
            k_us=self.k_us,
            r_mbps=self.r_mbps,
            lost_bytes=self.last_cut.lost_bytes,
            kept_bytes=self.last_cut.kept_bytes,
        )

    def hold_flushes(self) -> None:
        """No flush ends until the cut or the release, and none is answered."""
        self.holds_flushes = True

    def release_flushes(self) -> None:
        """As if they had not been held: what should have ended ends now."""
        self.holds_flushes = False
        self.tick()
        self._go_on()

    def record(self, fd: int, most_bytes: int) -> None:
        """Record from now on into this empty file; what is unflushed now is written first. ValueError: a recording is
        in progress."""
        if self._recorder:
            raise ValueError("a recording is in progress")
        self._recorder = Recorder(fd, most_bytes, self.cache.size_bytes)
        self._record_blocks(self.cache.leaving)
        if self._flush:
            self._note(Kind.FLUSH_BEGAN)
        self._record_blocks(self.cache.fresh)

    def stop_recording(self, why: RecordingEnd = RecordingEnd.STOPPED) -> None:
        if self._recorder:
            self._recorder.stop(why)
            self._recorder = None

    def cut(self, keep_permille: int, seed: int, granularity: int) -> Cut:
        """Cut the power. A second cut loses nothing more. A flush in progress ends at once, so that it cannot block the
        unmounting; its blocks are lost."""
        self.stop_recording(RecordingEnd.POWER)
        if not self.cache.frozen:
            self.last_cut = self.cache.cut(keep_permille, seed, granularity)
            self.counters.cuts += 1
        self.holds_flushes = False
        self._finish()
        self._go_on()
        return self.last_cut

    def power_on(self) -> None:
        """Without a cut before, this is one: memory is gone."""
        self.cut(0, 0, SECTOR_BYTES)
        self.cache.forget()

    def become(self, blocks: dict[int, Block]) -> None:
        """Power on with another content. ValueError: the disk has an image of its own."""
        if not isinstance(self.cache.image, StateImage):
            raise ValueError("this disk replays no recording")
        self.power_on()
        self.cache.image.become(blocks)

    def _finish(self) -> None:
        flush, self._flush = self._flush, None
        if flush is None:
            return
        error = None
        try:
            self.cache.finish_flush()
        except OSError as failure:
            error = failure
        if not error and not self.cache.frozen:
            self.counters.flushes += 1
            self.counters.flush_bytes += flush.n_bytes
            self.counters.flush_ns += time.monotonic_ns() - flush.began_ns
        self._note(Kind.FLUSH_FAILED if error else Kind.FLUSH_ENDED)  # before anybody is told
        flush.answer(error)
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and not self._flush:
            self.flush(self._waiting.popleft())

    def _note(self, kind: Kind) -> None:
        if self._recorder:
            self._recorder.note(kind)

    def _record_blocks(self, blocks: dict[int, bytes]) -> None:
        for number, block in blocks.items():
            if self._recorder:
                self._recorder.write(number * BLOCK_BYTES, block)
