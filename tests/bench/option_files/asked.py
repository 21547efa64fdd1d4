"""What a server makes of an option file: asked by `--verbose --help`, or by a real start where that does not tell."""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workers.errors import ServerError
from workers.sandbox.builds import Build
from workers.sandbox.flavours import FAMILIES
from workers.sandbox.users import unprivileged_user
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.target import Target

HELP_S, START_S, MAKE_S = 60, 60, 300
VARIABLES = "Variables (--variable-name=value)"
NO_VALUE = "(No default value)"
WRONG = re.compile(r"^(?:error:|Fatal error|.*\[ERROR\])")
HARMLESS = re.compile(r"mysql\.plugin|Event Scheduler|max_open_files|\[ERROR\] Aborting")
VALIDATES = (8, 0, 16)
ACCOUNT = "root"


@dataclass(frozen=True)
class Answer:
    """`refuses`: why the server does not start, "" if it does. `values`: by names of variables; NO_VALUE is left out.
    `said`: all that it printed beside them."""

    refuses: str
    values: Mapping[str, str] = field(default_factory=dict)
    said: str = ""


def helped(build: Build, file: Path, scratch: Path) -> Answer:
    """Without a start. It cannot tell whether the binary log is on, nor what InnoDB refuses when it starts."""
    places, said = _places(build, _empty(scratch)), ""
    if build.flavour == "mysql" and build.version >= VALIDATES:
        judged = _run(build, file, [*places, "--validate-config"], scratch)
        said = judged.stderr.decode(errors="replace")
        if refuses := _refusal(judged.returncode, said):
            return Answer(refuses, {}, said)
    found = _run(build, file, [*places, "--verbose", "--help"], scratch)
    printed = found.stdout.decode(errors="replace")
    said += found.stderr.decode(errors="replace") + printed[: printed.find("\n\n")]
    return Answer(_refusal(found.returncode, said), dict(_variables(printed)), said)


def _run(build: Build, file: Path, arguments: Sequence[str], scratch: Path) -> subprocess.CompletedProcess[bytes]:
    command = [*build.command(), f"--defaults-file={file}", "--user=root", *arguments]
    return subprocess.run(
        command, env=build.environment(), cwd=scratch, capture_output=True, timeout=HELP_S, check=False
    )


def _refusal(status: int, said: str) -> str:
    """The server tells a refusal by its status, by what it prints, or by both."""
    wrong = [line for line in said.splitlines() if WRONG.match(line) and not HARMLESS.search(line)]
    ends = status != 0 or any("Parsing options for plugin" in line for line in wrong)
    return (wrong[0] if wrong else f"status {status}") if ends else ""


def printed_help(build: Build, file: Path, scratch: Path) -> str:
    places = _places(build, _empty(scratch))
    return _run(build, file, [*places, "--verbose", "--help"], scratch).stdout.decode(errors="replace")


def _empty(scratch: Path) -> Path:
    folder = scratch / "empty"
    folder.mkdir(exist_ok=True)
    return folder


def _variables(printed: str) -> Iterator[tuple[str, str]]:
    begin = printed.rfind(VARIABLES)
    for line in printed[begin:].splitlines()[3:] if begin >= 0 else []:
        if not line:
            return
        name, _, value = line.partition(" ")
        if (value := value.strip()) != NO_VALUE:
            yield name.replace("-", "_").lower(), value


def started(build: Build, file: Path, scratch: Path) -> Answer:
    """By a start on a copy of a new data folder: SHOW GLOBAL VARIABLES, or the last error in its log."""
    with _started(build, file, scratch) as (values, log):
        if values is None:
            wrong = [line for line in log.splitlines() if WRONG.match(line) and not HARMLESS.search(line)]
            return Answer(wrong[0] if wrong else "it ended", {}, log)
        return Answer("", values, log)


@contextmanager
def _started(build: Build, file: Path, scratch: Path) -> Iterator[tuple[dict[str, str] | None, str]]:
    run = scratch / f"{build.key}-run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    subprocess.run(["cp", "-r", "--reflink=auto", _datadir(build, scratch), run / "data"], check=True)
    socket = run / "socket"
    arguments = [*_places(build, run / "data"), f"--socket={socket}", "--skip-networking", "--skip-grant-tables"]
    with (run / "log").open("wb") as log:
        server = subprocess.Popen(
            [*build.command(), f"--defaults-file={file}", "--user=root", *arguments],
            env=build.environment(), cwd=run, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        values = _asked(server, socket)
        yield values, (run / "log").read_text(errors="replace")
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(run, ignore_errors=True)


def _asked(server: subprocess.Popen[bytes], socket: Path) -> dict[str, str] | None:
    target = Target(name="", kind="sandbox", user=ACCOUNT, password="", socket=str(socket), tls="off")
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            with connect(target) as connection:
                return ask.names_to_values(connection, "SHOW GLOBAL VARIABLES")
        except ServerError:
            time.sleep(0.05)
    return None


def _places(build: Build, datadir: Path) -> list[str]:
    family = FAMILIES[build.flavour].lines(build.version)
    quiet = [f"--{line}" for line in family if line.startswith(("skip_ssl", "tls_version", "mysqlx"))]
    private = ["--secure-file-priv="] if build.flavour == "mysql" else []
    return [
        f"--basedir={build.basedir}",
        f"--datadir={datadir}",
        f"--lc-messages-dir={build.layout.share}",
        *private,
        *quiet,
    ]  # fmt: skip


def _datadir(build: Build, scratch: Path) -> Path:
    """A new data folder of this build; it is made once."""
    made = scratch / f"{build.key}-new"
    if not made.is_dir():
        half = scratch / f"{build.key}-half"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        sql = FAMILIES[build.flavour].system_tables(build, unprivileged_user())
        how = "--initialize-insecure" if sql is None else "--bootstrap"
        command = [*build.command(), "--no-defaults", "--user=root", *_places(build, half), how]
        subprocess.run(
            command,
            input=sql or b"",
            env=build.environment(),
            cwd=scratch,
            capture_output=True,
            timeout=MAKE_S,
            check=True,
        )
        half.rename(made)
    return made
