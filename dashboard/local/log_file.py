"""Log lines of a command in a file: its terminal shows the progress and the result."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.local.processes import open_log

CONSOLE = "console"  # of LOGGING in the settings


@contextmanager
def log_lines_to(path: Path) -> Iterator[None]:
    root = logging.getLogger()
    console = next(handler for handler in root.handlers if handler.name == CONSOLE)
    with io.TextIOWrapper(open_log(path), line_buffering=True) as file:
        instead = logging.StreamHandler(file)
        instead.setFormatter(console.formatter)
        root.addHandler(instead)
        root.removeHandler(console)
        try:
            yield
        finally:
            root.addHandler(console)
            root.removeHandler(instead)
