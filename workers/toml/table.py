"""A table of a TOML file, read key by key. An error (PlanError) names the file, the key and the fix."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Literal, TypeVar, get_args, get_origin, get_type_hints

from workers.errors import PlanError

Texts, Version = tuple[str, ...], tuple[int, int, int]
Name = TypeVar("Name", bound=str)
Value = TypeVar("Value")


@dataclass(frozen=True)
class TomlTable:
    """`path`: the place of the table in its file, such as claims[2].ratio."""

    file: str
    path: str
    data: Mapping[str, object]

    @classmethod
    def of_file(cls, path: Path) -> "TomlTable":
        try:
            return cls(path.name, "", tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise PlanError(f"{path.name} could not be read: {error.strerror}.", "Check who may read it.") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PlanError(f"{path.name} is not valid TOML: {error}.", "Correct the line that is named.") from error

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def text(self, key: str, default: str | None = None) -> str:
        return self._typed(key, str, "a text in quotes", default)

    def one_of(self, key: str, known: Iterable[Name], default: Name | None = None) -> Name:
        return self._known(key, self.text(key, default), known)

    def some_of(self, key: str, known: Iterable[Name]) -> tuple[Name, ...]:
        names = list(known)
        return tuple(self._known(key, found, names) for found in self.texts(key))

    def yes(self, key: str) -> bool:
        """False when the key is missing."""
        found = self.data.get(key, False)
        if not isinstance(found, bool):
            raise self.wrong(key, f"is {found!r}", "Write true or false.")
        return found

    def number(self, key: str) -> float | None:
        found = self.data.get(key, None)
        if found is None or (isinstance(found, (int, float)) and not isinstance(found, bool)):
            return found
        raise self.wrong(key, f"is {found!r}, not a number", "Write a number without quotes, for example 0.1.")

    def whole(self, key: str, default: int | None = None) -> int:
        return self._typed(key, int, "a whole number", default)

    def version(self, key: str, default: tuple[int, int, int] = (0, 0, 0)) -> tuple[int, int, int]:
        found = self.text(key, ".".join(map(str, default)))
        if not re.fullmatch(r"\d+\.\d+\.\d+", found):
            raise self.wrong(key, f"is {found!r}", 'Write a version: "10.2.2".')
        major, minor, patch = map(int, found.split("."))
        return major, minor, patch

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        return self._listed(key, str, 'a list of texts: ["one", "two"]', default)

    def wholes(self, key: str) -> tuple[int, ...]:
        return self._listed(key, int, "a list of whole numbers: [1, 16, 64]", None)

    def table(self, key: str, default: dict[str, object] | None = None) -> "TomlTable":
        return TomlTable(self.file, self._at(key), self._typed(key, dict, "a table: { key = value }", default))

    def over(self, key: str, shared: Mapping[str, object]) -> "TomlTable":
        """The table at `key`; keys that it lacks come from `shared`."""
        own = self.table(key)
        return TomlTable(own.file, own.path, {**shared, **own.data})

    def tables(self, key: str) -> list["TomlTable"]:
        found = self._typed(key, list, f"tables, each headed [[{self._at(key)}]]", [])
        for entry in found:
            if not isinstance(entry, dict):
                raise self.wrong(key, f"holds {entry!r}", f"Head each table with [[{self._at(key)}]].")
        return [TomlTable(self.file, f"{self._at(key)}[{n}]", entry) for n, entry in enumerate(found, start=1)]

    def only(self, known: Iterable[str]) -> None:
        """Raises PlanError for any other key."""
        names = list(known)
        for key in self.data:
            if key not in names:
                raise self.wrong(key, "is not known here", f"Known: {', '.join(names)}.")

    def read(self, kind: Callable[..., Value], **given: object) -> Value:
        """The table as that dataclass. Each field has its own key, and its type says what may stand there. A field with
        a default may be missing; fields that are `given` are not read. Raises PlanError for any other key."""
        names, types = fields(kind), get_type_hints(kind)  # type: ignore[arg-type]
        self.only(one.name for one in names)
        wanted = [one for one in names if one.name not in given and (one.name in self or _is_required(one))]
        return kind(**given, **{one.name: self._of_type(one.name, types[one.name]) for one in wanted})

    def _of_type(self, key: str, kind: object) -> object:
        if get_origin(kind) is Literal:
            return self.one_of(key, get_args(kind))
        if kind == Mapping[str, str]:
            texts = self.table(key)
            return {name: texts.text(name) for name in texts.data}
        readers: dict[object, Callable[[str], object]] = {str: self.text, int: self.whole, bool: self.yes}
        return (readers | {Texts: self.texts, Version: self.version})[kind](key)

    def wrong(self, key: str, what: str, fix: str) -> PlanError:
        where = self._at(key) if key else self.path or "the file"
        return PlanError(f"{self.file}: {where} {what}.", fix)

    def _known(self, key: str, found: str, known: Iterable[Name]) -> Name:
        names = {str(name): name for name in known}
        if found not in names:
            raise self.wrong(key, f"is {found!r}", f"There are: {', '.join(names)}.")
        return names[found]

    def _at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _typed(self, key: str, kind: type[Value], how: str, default: Value | None) -> Value:
        found = self.data.get(key, default)
        if found is None:
            raise self.wrong(key, "is missing", f"Add it: {how}.")
        if not isinstance(found, kind) or isinstance(found, bool):
            raise self.wrong(key, f"is {found!r}", f"Write {how}.")
        return found

    def _listed(self, key: str, kind: type[Value], how: str, default: tuple[Value, ...] | None) -> tuple[Value, ...]:
        if default is not None and key not in self:
            return default
        found = self._typed(key, list, how, None)
        listed = tuple(one for one in found if isinstance(one, kind) and not isinstance(one, bool))
        if not found or len(listed) < len(found):
            raise self.wrong(key, f"is {found!r}", f"Write {how}.")
        return listed


def _is_required(field: "Field[object]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING
