"""Where in the file an error lies: Python's TOML reader keeps no line numbers."""

import re

from workers.errors import PlanError
from workers.toml.table import TomlTable
from workers.transaction.tokens import BadSql


class Lines:
    """Entries are looked for in their order, so that equal ones are not taken for each other."""

    def __init__(self, text: str) -> None:
        self._text, self._from = text, 0

    def line_of(self, found: str) -> int:
        """0: not known, because it is written otherwise than it is read."""
        at = self._text.find(found, self._from) if found else -1
        if at < 0:
            return 0
        self._from = at
        return self._text.count("\n", 0, at) + 1

    def passed(self, found: str) -> None:
        """Everything that follows lies behind it."""
        if self.line_of(found):
            self._from += len(found)

    def wrong(self, table: TomlTable, key: str, found: str, refused: BadSql) -> PlanError:
        line = self.line_of(found)
        where = f"line {line + found.count(chr(10), 0, refused.at)}, " if line else ""
        return PlanError(f"{table.file}: {where}{table.path}.{key}: {refused.says}.", "Nothing was started.")


def with_line(text: str, file: str, message: str) -> str:
    """`FILE: tables[2].rows is ...` with the line of this place, if it is found."""
    place = re.match(rf"{re.escape(file)}: ([\w.\[\]-]+) ", message)
    line = _line(text, place[1]) if place else 0
    return message.replace(f"{file}: ", f"{file}: line {line}, ", 1) if line else message


def _line(text: str, place: str) -> int:
    at = -1
    for part in place.split("."):
        name, _, nth = part.rstrip("]").partition("[")
        header = rf"^[ \t]*\[\[?{re.escape(name)}\]" if at < 0 else rf"^[ \t]*\[[\w.]*\.{re.escape(name)}\]"
        found = [
            *re.finditer(rf"{header}|(?:^|[{{,])[ \t]*\"?{re.escape(name)}\"?[ \t]*=", text[at + 1 :], re.MULTILINE)
        ]
        wanted = int(nth) - 1 if nth else 0
        if wanted < len(found):
            at += 1 + found[wanted].end() - 1
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
