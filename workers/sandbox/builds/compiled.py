"""A storage engine that Debian no longer packages, compiled from an older source package.

The compiler is unpacked into a folder and run there by chroot, in its own namespaces and without a network. Nothing is
installed on this machine. Mounts and processes end with the first process, and the folder is deleted.
"""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import untrusted
from workers.sandbox.builds import store
from workers.sandbox.builds.debian import Apt, DebianSuite, Package, archive
from workers.sandbox.builds.layout import discover
from workers.sandbox.builds.progress import SHOWN, TELL_EVERY_S, Tell
from workers.sandbox.users import unprivileged_user

SCRIPT = "compile.sh"
ENTER = Path(__file__).with_name("enter_root.sh")
# In own namespaces: the compiler's processes end with the first one, which ends with the worker.
ALONE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child")
DIES_WITH_US = ("setpriv", "--pdeathsig=KILL", "--")  # unshare ignores TERM
PERCENT = re.compile(r"^\[ *(\d+)%]", re.MULTILINE)
TAIL_BYTES = 8192
MOST_BYTES = 1 << 30  # of a plugin
MACHINES = ("x86_64", "amd64")


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
            return "It is compiled in a folder of its own by chroot, which only root may do. Run this command as root."
        if subprocess.run([*ALONE, "true"], capture_output=True).returncode:
            return (
                "It is compiled in namespaces of its own, and this machine does not give them: a container needs the "
                "capability SYS_ADMIN."
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
            tell("The tools to compile with:")
            DebianSuite(self.server.suite, self.tools).put(downloads, tree, tell, mirror)
            tell("The source:")
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
        tell(f"Compiling {self.made}: minutes to half an hour, by the machine. All it prints is in {log}.")
        user = unprivileged_user()
        argv: list[str | Path] = [
            *DIES_WITH_US,
            "nice",
            *ALONE,
            "--",
            "sh",
            ENTER,
            tree,
            SCRIPT,
            str(user.uid),
            str(user.gid),
        ]
        if status := follow(argv, log, tell):
            raise SandboxError(
                f"{self.made} could not be compiled (status {status}): {_tail(log).strip()[-SHOWN:]}",
                f"Nothing was installed; what was downloaded is kept. All that was printed is in {log}.",
            )

    def _take(self, made: Path, root: Path) -> None:
        plugins = discover(root, own_libc=True).plugin_dir or root / "usr/lib/mysql/plugin"
        plugins.mkdir(parents=True, exist_ok=True)
        untrusted.copy(made, plugins / self.made, MOST_BYTES)


def follow(argv: Sequence[str | Path], log: Path, tell: Tell) -> int:
    """Run the program with its output in `log`; `tell` gets make's percents. Returns the exit status."""
    with log.open("wb") as printed:
        try:
            running = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT)
        except OSError as error:
            raise SandboxError(
                f"{argv[0]} could not be started ({error.strerror}).", "Nothing was installed."
            ) from error
        try:
            return _wait(running, log, tell)
        except BaseException:
            running.kill()
            running.wait()
            raise


def _wait(running: subprocess.Popen[bytes], log: Path, tell: Tell) -> int:
    told = ""
    while True:
        try:
            return running.wait(TELL_EVERY_S)
        except subprocess.TimeoutExpired:
            done = PERCENT.findall(_tail(log))
            if done and done[-1] != told:
                told = done[-1]
                tell(f"compiled: {told} %")


def _tail(log: Path) -> str:
    with log.open("rb") as opened:
        opened.seek(max(0, log.stat().st_size - TAIL_BYTES))
        return opened.read().decode(errors="replace")
