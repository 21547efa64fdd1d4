"""The image that trials begin with, and the copy of a server that is tried in place of it."""

import os
import signal
import subprocess
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.crash.parts import Part
from workers.crash.image import SCHEMA_SQL, make_tables, witness_image
from workers.crash.replica import SCHEMA
from workers.crash.twin import twin
from workers.errors import SandboxError
from workers.sandbox import images
from workers.sandbox.server import UUID_FILE

BUILD = SimpleNamespace(key="mariadb-10.11", version_text="10.11.9")


class Link:
    """A connection that notes its statements. `engines`: those that the server makes tables in."""

    description = (("engine",),)

    def __init__(self, engines=("InnoDB",)):
        self.engines, self.sql = engines, []

    def select_db(self, name):
        self.sql.append(f"USE {name}")

    @contextmanager
    def cursor(self):
        yield self

    def execute(self, sql, args):
        self.sql.append(sql)

    def fetchall(self):
        return [(engine,) for engine in self.engines] if self.sql[-1].startswith("SELECT DISTINCT engine") else []


class Origin(Part):
    """The server whose files become the image."""

    target = None

    def __init__(self, notes, root):
        super().__init__("server", notes)
        self._root = root

    def save_image(self, key):
        (images.folder_of(self._root) / key / "data").mkdir(parents=True)
        (images.folder_of(self._root) / key).chmod(0o700)
        self._notes.append(f"saved {key}")


def key_of(root, create, link=None, **changed):
    ports = {
        "create": create, "connect": lambda target: nullcontext(link),
        "find_user": lambda name: SimpleNamespace(uid=len(name)),
    }  # fmt: skip
    return witness_image(**{"root": root, "build": BUILD, "engine": "innodb", "user": "mysql", **ports, **changed})


def test_an_image_is_made_once(tmp_path):
    notes, created, link = [], [], Link()

    def create(*given, **how):
        created.append((given, how))
        return nullcontext(Origin(notes, tmp_path))

    key = key_of(tmp_path, create, link)
    assert created == [((tmp_path, BUILD, {}), {"name": "witness image", "trace": False, "user": "mysql"})]
    assert link.sql[:2] == [f"CREATE SCHEMA {SCHEMA}", f"USE {SCHEMA}"]
    assert notes == ["server.stop", f"saved {key}"]
    assert key_of(tmp_path, create, link) == key and len(created) == 1


def test_another_build_engine_or_user_gives_another_image_key(tmp_path):
    other = SimpleNamespace(key="mysql", version_text="8.4")
    newer = SimpleNamespace(key="mariadb-10.11", version_text="10.11.10")
    setups = [{}, {"engine": "rocksdb"}, {"user": "nobody"}, {"build": other}, {"build": newer}]

    def create(*_, **__):
        return nullcontext(Origin([], tmp_path))

    keys = [key_of(tmp_path, create, Link([one.get("engine", "innodb")]), **one) for one in setups]
    assert len(set(keys)) == len(setups)
    assert all(key.startswith("witness-") and len(key) == 28 for key in keys)


def test_the_tables_are_made_statement_by_statement():
    link = Link()
    make_tables(link, "trial_7", "innodb")
    made = [sql for sql in link.sql if sql.strip().upper().startswith("CREATE TABLE")]
    assert link.sql[0] == "USE trial_7" and len(made) == 3 and len(link.sql) == 5
    assert all("innodb" in sql for sql in made) and "{engine}" in SCHEMA_SQL.read_text()


@pytest.mark.parametrize("engines", [["MyISAM"], ["InnoDB", "Aria"], []])
def test_tables_in_another_engine_are_no_trial(engines):
    with pytest.raises(SandboxError, match=f"in {', '.join(sorted(engines))} instead of innodb"):
        make_tables(Link(engines), "s", "innodb")


@pytest.fixture
def process():
    found = subprocess.Popen(["sleep", "60"])
    yield found
    found.kill()
    found.wait()


def is_stopped(process):
    return Path(f"/proc/{process.pid}/stat").read_text().split()[2] == "T"


class Original(Part):
    name, build, user = "db1", BUILD, SimpleNamespace(name="mysql")

    def __init__(self, notes, datadir, process):
        super().__init__("original", notes)
        self.datadir, self.pid = datadir, process.pid

    def freeze(self):
        self._notes.append("original.freeze")
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)


@pytest.mark.parametrize(("other", "has_uuid"), [({}, True), ({"other_id": True}, False)])
def test_a_copy_is_made_while_the_original_stands_still_and_leaves_nothing(tmp_path, process, other, has_uuid):
    notes, datadir = [], tmp_path / "data"
    datadir.mkdir()
    original = Original(notes, datadir, process)

    def copy_files(source, target, user):
        notes.append(("copied", source, target.name, user, is_stopped(process)))
        target.mkdir()
        (target / UUID_FILE).touch()

    def create(*given, datadir_on, **how):
        notes.append(("created", given, how, is_stopped(process)))
        assert datadir_on.parent == tmp_path / "live" and (datadir_on / "data").is_dir()
        assert (datadir_on / "data" / UUID_FILE).exists() is has_uuid, "with it the copy is the same server"
        return nullcontext("copy")

    with twin(original, tmp_path, {"log_bin": "ON"}, **other, create=create, copy_files=copy_files) as copy:
        assert copy == "copy"
    how = {"name": "copy of db1", "trace": False, "user": "mysql"}
    assert notes == [
        "original.settle", "original.freeze", ("copied", datadir, "data", original.user, True),
        ("created", (tmp_path, BUILD, {"log_bin": "ON"}), how, False),
    ]  # fmt: skip
    assert not list((tmp_path / "live").iterdir())
