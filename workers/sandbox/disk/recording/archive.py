"""A recording as one compressed file, to be kept as evidence."""

from pathlib import Path

from workers.sandbox.disk.recording.recording import BASE, EVENTS
from workers.sandbox.disk.tools import run


def keep(folder: Path, archive: Path) -> None:
    """SandboxError: the archive could not be written."""
    run("tar", "--create", "--sparse", "--gzip", "--file", archive, "--directory", folder, "--", BASE, EVENTS)


def unpack(archive: Path, folder: Path) -> None:
    """Into a new folder, for `Recording.load`, which trusts nothing of it. SandboxError: it is no such archive."""
    folder.mkdir(mode=0o700)
    named = ("--directory", folder, "--no-same-owner", "--no-same-permissions", "--", BASE, EVENTS)
    run("tar", "--extract", "--gzip", "--file", archive, *named)
