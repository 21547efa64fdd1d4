"""Events in a binlog that the witness did not cause."""

from dataclasses import dataclass

NAMED = 10  # the first ones are kept in words


@dataclass(frozen=True)
class Oddities:
    """`count`: of all; `first`: the first ones in words, with their places."""

    count: int = 0
    first: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.count > 0

    def __add__(self, more: "Oddities") -> "Oddities":
        return Oddities(self.count + more.count, (self.first + more.first)[:NAMED])


NOTHING_ODD = Oddities()


class OddityNotes:
    """Collects oddities while a binlog is read."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[str] = []

    def add(self, what: str) -> None:
        self._count += 1
        if len(self._first) < NAMED:
            self._first.append(what)

    def all(self) -> Oddities:
        return Oddities(self._count, tuple(self._first))
