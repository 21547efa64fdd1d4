"""Programs that a disk needs: mkfs.ext4, e2fsck, cp, tar."""

import subprocess
from pathlib import Path

from workers.errors import SandboxError, reason

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def copy_sparse(source: Path, target: Path) -> None:
    """Holes stay holes, and blocks are shared where the host's file system can do that."""
    run("cp", "--reflink=auto", "--sparse=always", "--", source, target)


def ran(*argv: str | Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(argv, env={"PATH": SYSTEM_PATH, "LC_ALL": "C"}, capture_output=True, text=True)
    except OSError as error:
        raise SandboxError(f"{argv[0]} could not be run: {reason(error)}.", "Install it.") from error


def run(*argv: str | Path) -> None:
    done = ran(*argv)
    if done.returncode:
        raise SandboxError(f"{argv[0]} failed: {done.stderr.strip()}.", "Nothing was mounted.")
