"""How many calls Python makes for something. They are the same beside any load, which seconds are not."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

CALLS = ("call", "c_call")


@dataclass
class Steps:
    taken: int = 0

    def take(self, _: FrameType, event: str, __: object) -> None:
        self.taken += event in CALLS


@contextmanager
def counted() -> Iterator[Steps]:
    steps, before = Steps(), sys.getprofile()
    sys.setprofile(steps.take)
    try:
        yield steps
    finally:
        sys.setprofile(before)
