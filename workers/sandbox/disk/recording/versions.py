"""Every content that each block of a recorded disk had, in order."""

import hashlib
from bisect import bisect_left

from workers.sandbox.disk.image import Block, blocks_of, rewritten
from workers.sandbox.disk.recording.events import DiskEvent, Kind
from workers.sandbox.disk.recording.recording import Recording


class Versions:
    """A prefix of n is the disk after the first n events when all their writes got through."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._numbers: dict[int, list[int]] = {}  # of the events that wrote the block
        self._contents: dict[int, list[Block]] = {}
        self.digests = [0]  # of each prefix; 0: the base
        self.writes = [number for number, event in enumerate(recording.events) if event.kind is Kind.WRITE]
        for number, event in enumerate(recording.events):
            self.digests.append(self.digests[-1] ^ self._take(number, event))

    def blocks(self, prefix: int) -> dict[int, Block]:
        """The blocks that are not as in the base, or were written as they had been."""
        known = ((block, bisect_left(numbers, prefix)) for block, numbers in self._numbers.items())
        return {block: self._contents[block][writes - 1] for block, writes in known if writes}

    def block(self, number: int, prefix: int) -> Block:
        writes = bisect_left(self._numbers.get(number, ()), prefix)
        return self._contents[number][writes - 1] if writes else self._recording.base_block(number)

    def first_write(self, number: int) -> int:
        """The event that wrote this block first; 0: none did."""
        return self._numbers[number][0] if number in self._numbers else 0

    def written(self, since: int, until: int) -> list[int]:
        """The blocks that these events wrote, in rising order."""
        first, last = bisect_left(self.writes, since), bisect_left(self.writes, until)
        events = (self._recording.events[number] for number in self.writes[first:last])
        return sorted({block for event in events for block in blocks_of(event.offset, event.length)})

    def shortest(self, prefix: int) -> int:
        """The shortest prefix with this content: without flushes at its end."""
        writes = bisect_left(self.writes, prefix)
        return self.writes[writes - 1] + 1 if writes else 0

    def _take(self, number: int, event: DiskEvent) -> int:
        """The change of the digest."""
        change = 0
        if event.kind is Kind.WRITE:
            for block, content in rewritten(event.offset, self._recording.content(event), self._newest):
                change ^= digest(block, self._newest(block)) ^ digest(block, content)
                self._numbers.setdefault(block, []).append(number)
                self._contents.setdefault(block, []).append(content)
        return change

    def _newest(self, block: int) -> Block:
        contents = self._contents.get(block)
        return contents[-1] if contents else self._recording.base_block(block)


def digest(number: int, content: Block) -> int:
    """Of one block. Those of a disk are combined by exclusive or, so each change of a block is cheap."""
    known = hashlib.blake2b(content, digest_size=16, salt=number.to_bytes(8, "little"))
    return int.from_bytes(known.digest(), "little")
