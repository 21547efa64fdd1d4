"""The private Redis: a socket for its owner alone, no port, nothing kept on disk."""

import contextlib
import os
import stat
import subprocess
from pathlib import Path

import pytest
import redis as client

from dashboard.installation import home as homes
from dashboard.local import redis
from dashboard.local.errors import LocalError
from dashboard.local.processes import Child


@pytest.fixture
def home(tmp_path, monkeypatch):
    def at(name):
        monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path / name))
        monkeypatch.delenv("DURASCOPE_REDIS", raising=False)
        return homes.home()

    return at


@pytest.fixture
def run():
    children = []

    def start(home):
        children.append(Child(redis.program(home)))
        children[-1].wait_until_ready()
        return children[-1]

    yield start
    for child in children:
        child.stop()


def listening_inodes(pid):
    """Inodes of the TCP sockets that the process holds."""
    own = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # Redis opens and closes files of its own meanwhile
            own.add(str(fd.readlink()))
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return [row[9] for row in rows if f"socket:[{row[9]}]" in own]


@pytest.mark.parametrize("name", ["plain", "with space, # and %41 and ü"])
def test_the_private_redis_answers_at_the_address_that_every_process_derives(home, run, name):
    run(home(name))
    assert client.Redis.from_url(homes.redis_url()).ping()


def test_the_private_redis_listens_on_no_tcp_port_and_lets_only_its_owner_in(home, run):
    child = run(home("private"))
    assert listening_inodes(child.pid) == []
    assert stat.S_IMODE(homes.redis_socket().stat().st_mode) == 0o700
    assert stat.S_IMODE(homes.redis_socket().parent.stat().st_mode) == 0o700


def test_the_private_redis_writes_nothing_to_disk(home, run):
    folder = home("dry") / "redis"
    child = run(folder.parent)
    client.Redis.from_url(homes.redis_url()).set("key", "x" * 1000)
    child.stop()
    assert [path.name for path in folder.iterdir() if path.name not in ("redis-server", "redis.sock")] == []


def test_the_private_redis_replaces_the_socket_that_a_killed_redis_left(home, run):
    place = home("twice")
    run(place).stop(limit_s=0)
    again = run(place)
    assert redis.answers(homes.redis_socket(), again.pid)


def test_another_redis_on_its_socket_does_not_count_as_its_own(home, run):
    child = run(home("foreign"))
    assert not redis.answers(homes.redis_socket(), child.pid + 1)


def test_the_socket_has_a_short_path_when_the_home_lies_too_deep(home, run):
    run(home("deep/" + "/".join(["x" * 30] * 4)))
    socket = homes.redis_socket()
    assert len(os.fsencode(socket)) <= homes.LONGEST_SOCKET_PATH
    assert client.Redis.from_url(homes.redis_url()).ping()
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    subprocess.run(["rm", "-r", socket.parent], check=True)


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(LocalError, match="not a folder of this user"):
        redis.private_folder(tmp_path / "link")


def test_the_redis_of_redis_tools_runs_where_there_is_no_redis_server(home, run, monkeypatch):
    which = redis.shutil.which
    monkeypatch.setattr(redis.shutil, "which", lambda name: None if name == "redis-server" else which(name))
    run(home("twin"))
    assert client.Redis.from_url(homes.redis_url()).info()["redis_mode"] == "standalone"


def test_the_package_to_install_is_named_where_there_is_no_redis(home, monkeypatch):
    monkeypatch.setattr(redis.shutil, "which", lambda name: None)
    with pytest.raises(LocalError, match="Install the package redis-tools"):
        redis.program(home("none"))
