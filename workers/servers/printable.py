"""Texts of servers and of files as they may be stored and shown. They have an end, and no control characters: those
could change a terminal, a log or a page."""

from typing import TypeVar, cast

NO_BREAK = "\N{NO-BREAK SPACE}"  # our own sentences have some
IN_SENTENCES = frozenset(f"{NO_BREAK}\n\t")  # a fix can have several lines
MOST_CHARS = 1024  # of one value
MOST_OF_A_SENTENCE = 8192  # some quote the last lines of a log
MOST_ENTRIES = 10_000  # of a list or a table
T = TypeVar("T")


def printable(text: str, allowed: frozenset[str] = frozenset(NO_BREAK)) -> str:
    if text.isprintable():
        return text
    text = text.replace("\0", "\N{SYMBOL FOR NULL}")
    return "".join(one if one.isprintable() or one in allowed else "\N{REPLACEMENT CHARACTER}" for one in text)


def bounded(text: str, most: int = MOST_CHARS, allowed: frozenset[str] = frozenset(NO_BREAK)) -> str:
    """Printable, and cut where it is longer. The length tells two values apart that begin alike."""
    return printable(text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)", allowed)


def sentence(text: str) -> str:
    """Of ours, with words of a server in it."""
    return bounded(text, MOST_OF_A_SENTENCE, IN_SENTENCES)


def storable(value: T, most: int = MOST_CHARS) -> T:
    """The same text or JSON value with every text in it bounded; a tuple becomes a list, as JSON has it. What comes
    from a server is stored through it, and read through it: earlier versions stored whatever came."""
    return cast(T, _storable(value, most))


def _storable(value: object, most: int) -> object:
    if isinstance(value, str):
        return bounded(value, most, IN_SENTENCES)
    if isinstance(value, dict):
        return {_storable(key, most): _storable(one, most) for key, one in [*value.items()][:MOST_ENTRIES]}
    if isinstance(value, list | tuple):
        return [_storable(one, most) for one in value[:MOST_ENTRIES]]
    return value
