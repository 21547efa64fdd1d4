"""The lines of an option file, as servers and their clients cut them.

They read bytes: a text is read as its bytes in latin-1, where a no-break space is a space, too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workers.errors import PlanError

SPACES = " \t\n\v\f\r\xa0"
MOST_LINES = 10_000
LONGEST = 4094  # bytes that a server reads at once; what follows is the next line
BYTE_ORDER = "\xef\xbb\xbf"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "s": " ", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(rf"\\([{re.escape(''.join(_ESCAPES))}])")
_QUOTED = r"{0}(?:[^{0}\\]++|\\(?:.|\Z))*+(?:{0}|\Z)"
_BEFORE_COMMENT = re.compile(rf"""(?:[^'"#]++|{_QUOTED.format("'")}|{_QUOTED.format('"')})*+""", re.DOTALL)
_INCLUDE = re.compile(rf"![{SPACES}]*include(dir)?[{SPACES}]")


@dataclass(frozen=True)
class SectionLine:
    name: str


@dataclass(frozen=True)
class WrittenOption:
    """As it is written. `value`: None: without `=`."""

    name: str
    value: str | None


@dataclass(frozen=True)
class Include:
    path: str
    is_folder: bool


@dataclass(frozen=True)
class WrongLine:
    """A server that reads it does not start."""

    says: str


Line = SectionLine | WrittenOption | Include | WrongLine


def lines(text: str, *, joined: bool = False, cut: bool = True) -> Iterator[tuple[int, Line]]:
    """With their numbers, from 1 on. Comments, empty lines and unknown directives are left out. `joined`: a line that
    is too long, or that a NUL cuts off, goes on in the next one. `cut`: an include at the end of the file loses the
    last character of its name, unless a line ends there. Raises PlanError for more than MOST_LINES."""
    for number, raw in _whole_lines(as_bytes(text), joined):
        if number > MOST_LINES:
            raise PlanError(f"The text has more than {MOST_LINES:,} lines.", "No option file of a server is so long.")
        line = raw.lstrip(SPACES)
        if line[:1] == "!" and not cut and not line.endswith("\n"):
            line += "\n"
        if line and line[0] not in "#;" and (found := _line(line)):
            yield number, found


def as_bytes(text: str) -> str:
    """Each byte as one character."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def as_text(found: str) -> str:
    return found.encode("latin-1").decode("utf-8", "replace")


def _whole_lines(text: str, joined: bool) -> Iterator[tuple[int, str]]:
    begun: list[str] = []
    number = 0
    for number, piece in enumerate(_pieces(text), start=1):
        begun.append(piece.partition("\0")[0])
        if not joined or begun[-1].endswith("\n"):
            yield number, "".join(begun)
            begun.clear()
    if begun:
        yield number, "".join(begun)


def _pieces(text: str) -> Iterator[str]:
    """Lines with their ends; only \\n ends one."""
    at = 0
    while at < len(text):
        end = text.find("\n", at, at + LONGEST)
        end = min(at + LONGEST, len(text)) if end < 0 else end + 1
        yield text[at:end]
        at = end


def _line(line: str) -> Line | None:
    if line[0] == "!":
        return _directive(line)
    if line[0] == "[":
        name, closed, _ = line[1:].partition("]")
        return SectionLine(name.rstrip(SPACES)) if closed else WrongLine("a section without its closing bracket")
    written = _without_comment(line)
    name, has_value, value = written.partition("=")
    return WrittenOption(name.rstrip(SPACES), _value(value.strip(SPACES)) if has_value else None)


def _directive(line: str) -> Line | None:
    """A server cuts the last character off, which is the end of the line unless the file ends there."""
    found = _INCLUDE.match(line)
    if not found:
        return None
    path = line[found.end() :].lstrip(SPACES)[:-1].rstrip(SPACES)
    directive = "!includedir" if found[1] else "!include"
    return Include(path, bool(found[1])) if path else WrongLine(f"{directive} without a name")


def _without_comment(line: str) -> str:
    """# begins one, unless it is quoted."""
    found = _BEFORE_COMMENT.match(line)
    return found[0] if found else line


def _value(value: str) -> str:
    if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
        value = value[1:-1]
    return _ESCAPE.sub(lambda found: _ESCAPES[found[1]], value)
