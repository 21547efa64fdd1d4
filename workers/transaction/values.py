"""The values of a transaction: what a placeholder stands for."""

import random
import uuid
from dataclasses import dataclass
from typing import Literal

ValueKind = Literal["sequence", "uniform", "zipf", "string", "uuid", "now", "pick", "last-insert-id"]
Drawn = int | str
BY_SERVER = {"now": "NOW()", "last-insert-id": "LAST_INSERT_ID()"}  # kind -> SQL; nobody else knows the value
KEYS: dict[str, tuple[str, ...]] = {  # of each kind, beside `kind`
    "sequence": (),
    "uniform": ("least", "most"),
    "zipf": ("most",),
    "string": ("length",),
    "uuid": (),
    "now": (),
    "pick": ("of",),
    "last-insert-id": (),
}
LARGEST = 2**31 - 1  # sysbench draws no larger number
LONGEST_TEXT = 1000
MOST_PICKS, LONGEST_PICK = 50, 100
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NUMBER_BYTES, UUID_BYTES = 8, 36


@dataclass(frozen=True)
class Value:
    """`sequence`: a number that no other transaction has. `uniform`: from `least` to `most`. `zipf`: from 1 to `most`,
    small ones more often (about in proportion to 1/k). `string`: `length` letters. `pick`: one `of` these texts."""

    name: str
    kind: ValueKind
    least: int = 1
    most: int = 0
    length: int = 0
    of: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        return self.kind in ("sequence", "uniform", "zipf")

    @property
    def bytes(self) -> int:
        """The most that it takes in a row."""
        lengths = {"string": self.length, "uuid": UUID_BYTES, "pick": max(map(len, self.of), default=0)}
        return lengths.get(self.kind, NUMBER_BYTES)

    def fault(self) -> tuple[str, str]:
        """The key that is wrong and why; two empty texts when none is."""
        if self.kind in ("uniform", "zipf") and not 0 <= self.least <= self.most <= LARGEST:
            return "most", f"is not a whole number from {self.least} to {LARGEST:,}"
        if self.kind == "string" and not 1 <= self.length <= LONGEST_TEXT:
            return "length", f"is not a whole number from 1 to {LONGEST_TEXT:,}"
        if self.kind == "pick":
            return self._fault_of_picks()
        return "", ""

    def _fault_of_picks(self) -> tuple[str, str]:
        if not 1 <= len(self.of) <= MOST_PICKS:
            return "of", f"does not list 1 to {MOST_PICKS} texts"
        for text in self.of:
            if len(text) > LONGEST_PICK or text != text.strip() or not _is_plain(text):
                return "of", f"holds {text[:40]!r}: write at most {LONGEST_PICK} ASCII characters, no backslash"
        return "", ""

    def drawn(self, chance: random.Random, number: int) -> Drawn:
        """`number`: of the transaction. Not for a value that only the server knows."""
        if self.kind == "sequence":
            return number
        if self.kind == "uniform":
            return chance.randint(self.least, self.most)
        if self.kind == "zipf":
            return min(self.most, int((self.most + 1) ** chance.random()))
        if self.kind == "string":
            return "".join(chance.choices(LETTERS, k=self.length))
        if self.kind == "pick":
            return chance.choice(self.of)
        return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and "\\" not in text and "?" not in text


def literal(value: Drawn) -> str:
    """As SQL. Texts hold neither backslashes nor control characters."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
