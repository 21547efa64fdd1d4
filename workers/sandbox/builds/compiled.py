"""A storage engine that Debian no longer packages, compiled from an older source package.

The compiler is unpacked into a folder and run there by chroot, in its own namespaces and without a network. Nothing is
installed on this machine. Mounts and processes end with the first process, and the folder is deleted.
"""

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox import untrusted
from workers.sandbox.builds import store
from workers.sandbox.builds.debian import Apt, DebianSuite, Package, archive
from workers.sandbox.builds.layout import discover
from workers.sandbox.builds.maven import MACHINES
from workers.sandbox.builds.progress import Tell, run
from workers.sandbox.users import unprivileged_user

SCRIPT = "compile.sh"
ENTER = Path(__file__).with_name("enter_root.sh")
# In own namespaces: the compiler's processes end with the first one, which ends with the worker.
ALONE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child")
PERCENT = re.compile(r"^\[ *(\d+)%]", re.MULTILINE)
TAIL_BYTES = 8192
MOST_BYTES = 1 << 30  # of a plugin


@dataclass(frozen=True)
class CompiledEngine:
    """`server`: its packages; `tools`: packages of the compiler; `source`: Debian's source package; `recipe`: a folder
    beside this file with compile.sh and patches; `made`: the plugin; `tree_mib`: temporary size of tools and source."""

    server: DebianSuite
    tools: tuple[str, ...]
    source: str
    recipe: str
    made: str
    tree_mib: int
    own_libc = True

    def __str__(self) -> str:
        return f"{self.server}; {self.made} compiled here from the source package {self.source}"

    def missing(self) -> str:
        """What this machine lacks to compile it; "" when nothing."""
        if platform.machine() not in MACHINES:
            return f"{self.made} can be compiled on x86_64 only, and this machine is {platform.machine()}."
        if missing := self.server.missing():
            return missing
        if os.geteuid() != 0:
            return f"Compiling {self.made} needs chroot, which only root may do. Run this command as root."
        if subprocess.run([*ALONE, "true"], capture_output=True).returncode:
            return (
                f"Compiling {self.made} needs namespaces of its own, and this machine refuses them. A container needs "
                "the capability SYS_ADMIN."
            )
        return ""

    def put(self, downloads: Path, root: Path, tell: Tell, mirror: str = "") -> None:
        """Download missing files, verify, compile, and put all into `root`."""
        store.require_space(self.tree_mib)
        mirror = mirror or archive()
        self.server.put(downloads, root, tell, mirror)
        workshop = root.with_name("compiling")
        workshop.mkdir(mode=0o700)  # unpacked programs below may run as root for all users
        try:
            tree = workshop / "tree"
            tree.mkdir()
            tell("Fetching the compiler's packages.")
            DebianSuite(self.server.suite, self.tools).put(downloads, tree, tell, mirror)
            tell("Fetching the source package.")
            apt = Apt(downloads, self.server.suite, mirror)
            self._lay_out(tree / "build", apt, apt.source(self.source, tell))
            self._compile(tree, downloads / "compile.log", tell)
            self._take(tree / "build" / self.made, root)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)

    def _lay_out(self, folder: Path, apt: Apt, files: list[Package]) -> None:
        folder.mkdir()
        for file in (*(apt.archives / package.file for package in files), *self.recipe_files):
            shutil.copy(file, folder)

    @property
    def recipe_files(self) -> list[Path]:
        return sorted(path for path in Path(__file__).with_name(self.recipe).iterdir() if path.is_file())

    def _compile(self, tree: Path, log: Path, tell: Tell) -> None:
        tell(f"Compiling {self.made}. It takes between a few minutes and half an hour. The output is in {log}.")
        user = unprivileged_user()
        argv: list[str | Path] = ["nice", *ALONE, "--", "sh", ENTER, tree, SCRIPT, str(user.uid), str(user.gid)]
        fix = f"Nothing was installed. The downloaded files are kept. The whole output is in {log}."
        failed = f"{self.made} could not be compiled"
        run(argv, failed, fix=fix, tell=tell, progress=lambda: percent(log), log=log)

    def _take(self, made: Path, root: Path) -> None:
        plugins = discover(root, own_libc=True).plugin_dir or root / "usr/lib/mysql/plugin"
        plugins.mkdir(parents=True, exist_ok=True)
        untrusted.copy(made, plugins / self.made, MOST_BYTES)


def percent(log: Path) -> str:
    """How far make is, by its last lines; "" while it has not said."""
    done = PERCENT.findall(untrusted.tail(log, TAIL_BYTES).decode(errors="replace"))
    return f"compiled: {done[-1]} %" if done else ""
