"""The attacker's tools: a hostile build, and calls that must end."""

import os
import threading
from collections.abc import Callable

import pytest

from workers.errors import DurascopeError
from workers.sandbox import door

SECRET = "the key of all passwords"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to take from another user")

with_landlock = pytest.mark.skipif(not door.landlock(), reason="this kernel has no Landlock")

HOSTILE = """#!/bin/sh
case "$*" in
*--version*)
    {version}
    echo "mysqld  Ver {number} for Linux on x86_64 (MySQL Community Server - GPL)" ;;
*--initialize*|*--bootstrap*)
    {bootstrap}
    exit 0 ;;
*)
    cd "$HOME"
    {server}
    echo "Address already in use"
    exit 1 ;;
esac
"""


def ended(call: Callable[[], object], seconds: float = 20) -> object:
    """What the call gave or raised; a FIFO would keep it for ever."""
    found: list[object] = []

    def attempt() -> None:
        try:
            found.append(call())
        except (DurascopeError, OSError) as error:
            found.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it waits for ever"
    return found[0]
