"""Joins a style sheet or script with its imports into one file: a page then loads about ten files instead of thirty.
Runs in `collectstatic`; without it browsers load the parts."""

import posixpath
import re
from collections.abc import Callable

Read = Callable[[str], str]  # the text of a static file by its name
BUNDLES = ("css/all.css", "js/app.js", "js/figures.js")
SHEET = re.compile(r'^@import url\("([^"]+)"\);\n', re.MULTILINE)
IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";\n', re.MULTILINE)
LATER = re.compile(r'\bimport\("([^"]+)"\)')  # loaded on demand: stays a separate file
EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b(?!\()[^\n]*", re.MULTILINE)


class NotBundled(ValueError):
    """A module uses syntax that this file does not support."""


def bundled(name: str, read: Read) -> str:
    if name.endswith(".css"):
        return SHEET.sub(lambda found: read(_beside(name, found[1])), read(name))
    return _Script(name, read).text()


def _beside(name: str, other: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


class _Script:
    """Each module becomes a function that returns its exports, placed after the modules that it imports."""

    def __init__(self, name: str, read: Read) -> None:
        self._folder, self._read = posixpath.dirname(name), read
        self._number: dict[str, int] = {}
        self._open: list[str] = []
        self._parts: list[str] = []
        self._add(name)

    def text(self) -> str:
        return "".join(self._parts)

    def _add(self, name: str) -> int:
        if name in self._open:
            raise NotBundled(f"{name} imports itself through {' and '.join(self._open)}.")
        if name not in self._number:
            self._open.append(name)
            body = IMPORT.sub(lambda found: self._imported(name, found), self._read(name))
            self._open.pop()
            self._number[name] = len(self._number)
            self._parts.append(self._part(name, body))
        return self._number[name]

    def _imported(self, name: str, found: re.Match[str]) -> str:
        number = self._add(_beside(name, found[2]))
        return f"const {{{found[1].replace(' as ', ': ')}}} = module{number};\n" if found[1] else ""

    def _part(self, name: str, body: str) -> str:
        exported = ", ".join(found[2] for found in EXPORT.finditer(body))
        body = LATER.sub(lambda found: f'import("{self._path(_beside(name, found[1]))}")', EXPORT.sub(r"\1 \2", body))
        if left := LEFT.search(body):
            raise NotBundled(f"{name}: {left[0]}")
        begin = f"const module{self._number[name]} = await (async () => {{ // {name}\n"
        return f"{begin}{body}return {{ {exported} }};\n}})();\n"

    def _path(self, name: str) -> str:
        path = posixpath.relpath(name, self._folder)
        return path if path.startswith("../") else f"./{path}"
