"""Frozen values from stored JSON. The types of a dataclass's fields say what is expected; whatever else is there is
refused. A field with a default may be absent. The way back is `dataclasses.asdict`."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from workers.errors import DurascopeError

T = TypeVar("T")
Reader = Callable[[object], Any]


class Unreadable(DurascopeError):
    """The stored value is not what this version stores."""


def read(kind: type[T], value: object) -> T:
    """Raises Unreadable, which names the field."""
    return cast(T, _reader(cast(Hashable, kind))(value))


@cache
def _reader(kind: Any) -> Reader:
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _instance(cast(type, kind))
    if origin in (Union, UnionType):
        return _one_of(args)
    if origin is tuple:
        each = _reader(args[0])
        return lambda value: tuple(each(one) for one in _checked(list | tuple, value))
    if origin is Mapping:
        of = _reader(args[1])
        return lambda value: {key: of(one) for key, one in _checked(Mapping, value).items()}
    if origin is Literal:
        return lambda value: _known(args, value)
    return _unchecked if kind is Any else _plain(kind)


def _plain(kind: type) -> Reader:
    """Asked thousands of times for a page: what is of the type itself goes no further."""
    exact = {int, float} if kind is float else {kind}
    wanted = int | float if kind is float else kind
    return lambda value: value if type(value) in exact else _checked(wanted, value)


def _instance(kind: type) -> Reader:
    hints = get_type_hints(kind)
    parts = [(field.name, _reader(hints[field.name])) for field in fields(kind)]
    optional = {field.name for field in fields(kind) if field.default is not MISSING}

    def made(value: object) -> object:
        known = _checked(Mapping, value)
        values, name = {}, ""
        try:
            for name, part in parts:
                if name in known or name not in optional:
                    values[name] = part(known[name])
        except KeyError as absent:
            raise Unreadable(f"A stored {kind.__name__} has no {name}.") from absent
        except Unreadable as broken:
            raise Unreadable(f"{kind.__name__}.{name}: {broken}") from broken
        return kind(**values)

    return made


def _one_of(kinds: tuple[object, ...]) -> Reader:
    """None if that is allowed; else the first class that fits."""
    may_be_none = NoneType in kinds
    readers = [_reader(kind) for kind in kinds if kind is not NoneType]

    def found(value: object) -> object:
        if value is None and may_be_none:
            return None
        for one in readers[:-1]:
            try:
                return one(value)
            except Unreadable:
                continue
        return readers[-1](value)

    return found


def _checked(kind: Any, value: object) -> Any:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise Unreadable(f"{type(value).__name__} is stored where {getattr(kind, '__name__', kind)} belongs.")


def _known(options: tuple[object, ...], value: object) -> object:
    if value in options:
        return value
    raise Unreadable(f"{value!r} is stored, which is none of {', '.join(map(str, options))}.")


def _unchecked(value: object) -> object:
    return value
