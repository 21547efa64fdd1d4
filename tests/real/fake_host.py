"""A host for deploy/install.sh without a Debian of its own: a mount namespace in which /etc, /opt, /run,
/usr/local/sbin and /var/lib are a test's. systemctl, nginx, pip and the question whether all answers are scripts; the
program, its database and its migrations are real."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.installation.home import PROJECT
from tests import postgresql

PARTS = ("dashboard", "workers", "templates", "static", "docs", "scripts", "deploy")
FILES = ("manage.py", "pyproject.toml", "requirements.txt")
LIMIT_S = 550
# Root of this machine may have them, from scripts/demo. A device 0/0 hides what lies below (overlayfs).
HIDDEN = ("etc/durascope", "var/lib/durascope")
SYSTEMCTL = """#!/bin/sh
# enabled and active units are files; each command is a line of a log
cd $STATE && echo "$*" >>calls
wants=/etc/systemd/system/multi-user.target.wants
words=''; for word in "$@"; do case $word in -*) ;; *) words="$words $word" ;; esac; done
set -- $words
verb=$1; shift
case "$verb" in
is-enabled) [ -e $wants/$1 ] ;;
is-active) [ -e active/$1 ] ;;
list-units) for unit in active/*; do [ ! -e $unit ] || basename $unit; done ;;
enable) [ ! -e hangs ] || sleep 600; mkdir -p $wants; touch $wants/$1 active/$1 ;;
disable) rm -f $wants/$1 active/$1 ;;
start) for unit in "$@"; do touch active/$unit; done ;;
stop) for unit in "$@"; do (cd active && rm -f $(ls | grep "^$(echo $unit | tr -d '*')")); done ;;
esac
"""
NGINX = "#!/bin/sh\n[ $1 != -v ] || echo nginx/1.22.1 >&2\n"
# python3 as the installer sees it: an environment is a link to the one of the tests.
PYTHON = """#!/bin/sh
case "$1 $2" in
"-m venv") mkdir -p "$4/bin" && cp $STATE/program "$4/bin/python" ;;
"-m compileall" | "-c import ensurepip, venv") ;;
*) exec /usr/bin/python3 "$@" ;;
esac
"""
PROGRAM = f"""#!/bin/sh
case "$1 $2" in "-m pip") exec sh $STATE/pip ;; esac
case "$1" in */answers.py) exec sh $STATE/answers ;; esac
exec {sys.executable} -W ignore "$@"
"""
MOUNTS = """
set -e
for place in /etc /var/lib; do
    mkdir -p $1$place $1/work$place
    mount -t overlay overlay -o lowerdir=$place,upperdir=$1$place,workdir=$1/work$place $place
done
for place in /opt /run /usr/local/sbin; do mkdir -p $1$place; mount --bind $1$place $place; done
mkdir -p /run/systemd/system
shift
exec "$@"
"""


@contextmanager
def folder_of_hosts() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="ds-host-", dir="/var/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@contextmanager
def database_of_somebody_else() -> Iterator[str]:
    """The address of a PostgreSQL database that the user of the services reaches."""
    server = postgresql.private()
    server.folder.chmod(0o755)
    server.make("somebodys")
    yield server.url("somebodys")
    server.stop()
    shutil.rmtree(server.folder)


class FakeHost:
    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder, folder / "state"
        (self.state / "active").mkdir(parents=True)
        for place in HIDDEN:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            os.mknod(folder / place, stat.S_IFCHR, os.makedev(0, 0))
        for name, text in {"systemctl": SYSTEMCTL, "nginx": NGINX, "python": PYTHON}.items():
            self._script(folder / "bin" / name, text)
        self._script(self.state / "program", PROGRAM)
        self.answer(pip="exit 0", answers="exit 0")

    @staticmethod
    def _script(file: Path, text: str) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def answer(self, **scripts: str) -> None:
        """What pip does, and the question whether everything answers."""
        for name, text in scripts.items():
            (self.state / name).write_text(text)

    def environment(self, **values: str) -> Path:
        """A file for --environment."""
        file = self.folder / "given.env"
        file.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        file.chmod(0o600)
        return file

    def calls(self) -> list[str]:
        """Of systemctl since the last time; those that only ask are left out."""
        file = self.state / "calls"
        found = [line for line in file.read_text().splitlines() if not line.startswith(("is-", "list-"))]
        file.write_text("")
        return found

    def tree(self, name: str) -> Path:
        """A copy of the project, to install from and to change."""
        made = self.folder / name
        made.mkdir()
        for part in PARTS:
            shutil.copytree(PROJECT / part, made / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in FILES:
            shutil.copy(PROJECT / part, made)
        return made

    def start(self, *argv: object) -> subprocess.Popen[str]:
        env = {
            "PATH": f"{self.folder / 'bin'}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root", "LANG": "C.UTF-8", "STATE": str(self.state),
            "DURASCOPE_PYTHON": str(self.folder / "bin/python"),
        }  # fmt: skip
        apart = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        within = [*apart, "bash", "-c", MOUNTS, "bash", str(self.folder), *map(str, argv)]
        return subprocess.Popen(
            within, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip

    def run(self, *argv: object) -> tuple[int, str]:
        """Exit status, and all that was said."""
        process = self.start(*argv)
        try:
            said, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, said

    def install(self, tree: Path, *options: object) -> tuple[int, str]:
        return self.run(tree / "deploy/install.sh", *options)

    def running(self) -> set[str]:
        return {unit.name for unit in (self.state / "active").iterdir()}

    def release(self) -> str:
        """Where /opt/durascope leads to."""
        return str((self.folder / "opt/durascope").readlink())
