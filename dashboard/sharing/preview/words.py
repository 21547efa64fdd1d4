"""Words for a picture. Its font knows ASCII and little else, so that a machine needs no fonts of its own: letters lose
their accents, and what is no Latin letter is a question mark. The title of the preview has the words as they are."""

import unicodedata
from collections.abc import Callable

Width = Callable[[str], float]  # of a text, in pixels
_SAME = {"µ": "u", "×": "x", "–": "-", "—": "-", "−": "-", "ß": "ss", "ø": "o", "æ": "ae", "Ø": "O", "Æ": "AE"}  # noqa: RUF001
_KNOWN = "«°±»‘’“”…‹›™"  # noqa: RUF001
ELLIPSIS = "…"


def drawable(text: str) -> str:
    return "".join(_letter(one) for one in " ".join(text.split()))


def _letter(one: str) -> str:
    if one in _SAME or one in _KNOWN or one.isascii():
        return _SAME.get(one, one)
    plain = "".join(part for part in unicodedata.normalize("NFKD", one) if part.isascii())
    return plain or "?"


def cut(text: str, most: float, width: Width) -> str:
    """As much of it as fits, an ellipsis where it was cut."""
    if width(text) <= most:
        return text
    while text and width(text + ELLIPSIS) > most:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def wrapped(text: str, most: float, lines: int, width: Width) -> list[str]:
    """At most so many lines; the last is cut where the text is longer."""
    found: list[str] = []
    rest = text.split()
    while rest and len(found) < lines:
        taken = 1
        while taken < len(rest) and width(" ".join(rest[: taken + 1])) <= most:
            taken += 1
        is_last = len(found) == lines - 1
        found.append(cut(" ".join(rest if is_last else rest[:taken]), most, width))
        rest = rest[taken:]
    return found
