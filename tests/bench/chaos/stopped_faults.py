"""Faults of what an administrator does while all parts but Redis are stopped."""

import http.client
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from dashboard.installation import newer_database
from dashboard.installation.home import PROJECT
from tests.bench.chaos.installation import HOST, Installation
from tests.bench.chaos.plans import Shape
from tests.bench.chaos.scene import Scene
from tests.real import newer_tree

LIMIT_S = 300
LATEST_KILL_S = 4.0  # a command may have ended by then
ANSWERS = (200, 302, 400, 503)
MIGRATE = ("migrate", "--verbosity", "0", "--no-input")


def by_worker(shape: Shape) -> bool:
    """The command line would go on with the database open: a restore is refused then."""
    return shape.start.__name__ != "_command_line"


@contextmanager
def _all_stopped(here: Installation) -> Iterator[Path]:
    """A folder on the disk of the database for what is kept. The parts are started again afterwards."""
    here.parts.stop(without=("redis",))
    _leave_database()
    folder = here.place.home / "kept"
    folder.mkdir()
    try:
        yield folder
    finally:
        here.parts.stop(without=("redis",))
        shutil.rmtree(folder)
        for old in here.place.home.glob("*.before-*"):
            old.unlink()


def _leave_database() -> None:
    """A restore needs that nobody else uses it: neither do the connections that are kept for later."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()


def _argv(*words: str | Path) -> list[str]:
    return [sys.executable, "manage.py", *map(str, words)]


def _run(scene: Scene, *words: str | Path, tree: Path = PROJECT) -> None:
    done = subprocess.run(_argv(*words), cwd=tree, capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode:
        scene.unkept.append(f"{words[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")


def restore_with_requests(scene: Scene) -> str:
    """systemd holds the web socket, and starts the web server when somebody asks. So does this bench, unless the
    restore is that of `durascope restore`, which stops the socket: then it must not be refused."""
    here, by_hand = scene.installation, scene.chance.random() < 0.5
    with _all_stopped(here) as folder:
        backup = folder / "backup"
        _run(scene, "backup", backup, "--without-keys")
        restore = ("restore", backup, "--overwrite", "--without-keys")
        after = scene.chance.uniform(0, LATEST_KILL_S)
        asked = threading.Timer(after, _ask, (scene,))
        asked.start()
        status = _run_while_asked(scene, restore, after if by_hand else LIMIT_S)
        asked.join()
        here.parts.stop(without=("redis",))
        if status:
            _run(scene, *restore)
        _run(scene, "restored", "--release")
    if status and not by_hand:
        scene.unkept.append("a restore was refused although the socket was stopped")
    ended = "was refused, and ran later" if status else "ended"
    return f"asked after {after:.1f} s, socket {'on' if by_hand else 'stopped'}; the restore {ended}"


def _run_while_asked(scene: Scene, restore: tuple[str | Path, ...], web_after_s: float) -> int:
    """Status 2: refused, with a sentence, and nothing was changed."""
    parts = scene.installation.parts
    argv, pipe = _argv(*restore), subprocess.PIPE
    with subprocess.Popen(argv, cwd=PROJECT, stdout=pipe, stderr=subprocess.STDOUT, text=True) as running:
        with_web = _still_runs_after(running, web_after_s)
        if with_web:
            parts.again("web")
        said, _ = running.communicate(timeout=LIMIT_S)
    if not with_web:
        parts.again("web")
    if running.returncode not in (0, 2) or (running.returncode == 2 and "Nothing was restored" not in said):
        scene.unkept.append(f"the restore ended with {running.returncode}: {said[-1000:]}")
    if old := old_database(parts.pids().get("web", 0)):
        scene.unkept.append(f"after the restore the web server uses {old}")
    return running.returncode


def _still_runs_after(process: subprocess.Popen[str], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def old_database(pid: int | str) -> str:
    """The file of the database before, if this process has it open."""
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            name = str(link.readlink())
        except OSError:
            continue
        if ".before-" in name or (".sqlite3" in name and name.endswith("(deleted)")):
            return name
    return ""


def _ask(scene: Scene) -> None:
    """A page that needs the database. It waits at the socket until the web server is there."""
    link = http.client.HTTPConnection(HOST, scene.installation.port, timeout=LIMIT_S)
    try:
        link.request("GET", "/login/", headers={"Host": "localhost"})
        if (status := link.getresponse().status) not in ANSWERS:
            scene.unkept.append(f"a request during a restore was answered with {status}")
    except (OSError, http.client.HTTPException) as error:
        scene.unkept.append(f"a request during a restore was not answered: {error!r}")
    finally:
        link.close()


def upgrade_cut_off(scene: Scene) -> str:
    """With a kill -9 in one of the steps of deploy/install.sh --upgrade."""
    here = scene.installation
    newer = here.place.base / "newer"
    if not newer.exists():
        newer_tree.make(newer)
    steps = {"snapshot": PROJECT, "migrate": newer, "put back": newer}
    step = scene.chance.choice(list(steps))
    with _all_stopped(here) as folder:
        before = _migrations()
        file = folder / "snapshot"
        words = {"snapshot": ("snapshot", file), "migrate": MIGRATE, "put back": ("snapshot", file, "--put-back")}
        done = ""
        for name, tree in steps.items():
            done += _cut(tree, words[name], scene.chance.uniform(0, LATEST_KILL_S)) if name == step else ""
            if not name == step == "migrate":  # an upgrade that was cut off goes back
                _run(scene, *words[name], tree=tree)
        if _migrations() != before:
            scene.unkept.append("the database was not put back")
    return f"{step}: {done}"


def _migrations() -> list[str]:
    """This process leaves the database alone afterwards."""
    found = sorted(newer_database.applied_migrations())
    _leave_database()
    return found


def _cut(tree: Path, words: tuple[str | Path, ...], seconds: float) -> str:
    with subprocess.Popen(_argv(*words), cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"killed after {seconds:.1f} s"
    return f"had ended within {seconds:.1f} s"
