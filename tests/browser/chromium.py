"""The Chromium that the tests start."""

import os
import shutil

SHELL = "/usr/lib/chromium/chromium-headless-shell"  # Debian's. The one on the PATH is a script that stays its parent.


def program() -> str | None:
    """The shell draws and runs the same pages with less processor time. None: there is no Chromium."""
    return SHELL if os.access(SHELL, os.X_OK) else shutil.which("chromium")
