"""Which version of Durascope wrote a file, and whether it is newer than this one."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.installation.version import VERSION
from dashboard.portable.refused import NotImported, UnknownField

WRITTEN = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:\.dev(\d{1,4}))?")
RELEASED = 10_000  # after each of its development versions


@contextmanager
def named(version: str) -> Iterator[None]:
    """A field that this version does not know is told with the version that wrote it."""
    try:
        yield
    except UnknownField as unknown:
        raise NotImported(*_refusal(unknown, version)) from unknown


def _refusal(unknown: UnknownField, version: str) -> tuple[str, str]:
    wrote, here = _order(version), _order(VERSION)
    if not wrote or not here or wrote <= here:
        return unknown.what, "This file was changed. Export the experiment again, and import that file as it is."
    return (
        f"{unknown.what}. The file was written by Durascope {version}, which is newer than this one ({VERSION})",
        f"Upgrade this installation to {version} or later.",
    )


def _order(version: str) -> tuple[int, ...]:
    """Empty: that is no version."""
    found = WRITTEN.fullmatch(version)
    return tuple(RELEASED if part is None else int(part) for part in found.groups()) if found else ()
