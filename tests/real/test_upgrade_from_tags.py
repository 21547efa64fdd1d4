"""The installation of each tagged version, made and filled by its own code, holds the same content after the upgrade.

In a clone without tags (a shallow clone) the present state is upgraded by a next version with one more migration.
tests/unit/test_upgrades.py upgrades the earliest stored state in any case."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dashboard.installation.home import PROJECT
from tests import migrated, postgresql
from tests.real import newer_tree
from tests.real.local_home import environment
from tests.real.parts import LIMIT_S

VERSION = re.compile(r"v\d+\.\d+\.\d+")
FILL = "tests/upgrades/filled.py"


def git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, check=True).stdout


def tags() -> list[str]:
    """Of versions that can fill an installation by themselves."""
    if not (PROJECT / ".git").exists():
        return []
    versions = [tag for tag in git("tag").decode().split() if VERSION.fullmatch(tag)]
    return [tag for tag in versions if git("ls-tree", tag, FILL)]


@dataclass(frozen=True)
class Upgrade:
    """`filled` is read by the old code, `upgraded` by the new one."""

    filled: dict[str, object]
    upgraded: dict[str, object]


def run(tree: Path, home: Path, database: dict[str, str], code: str) -> str:
    argv = [sys.executable, "-W", "ignore", "manage.py", "shell", "-v", "0", "-c", code]
    known = {key: value for key, value in environment(home).items() if key not in ("DATABASE_URL", "DURASCOPE_SQLITE")}
    done = subprocess.run(
        argv,
        cwd=tree,
        env={**known, **database, "PYTHONPATH": f"{tree}:{PROJECT}"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def private_postgresql() -> Iterator[postgresql.PostgreSQL]:
    made = migrated.private_postgresql()
    yield made
    made.stop()
    shutil.rmtree(made.folder)


@pytest.fixture(scope="module", params=tags() or ["the present state"])
def trees(request, tmp_path_factory) -> tuple[Path, Path]:
    """Of the old version and of the new one."""
    folder = tmp_path_factory.mktemp("trees")
    if VERSION.fullmatch(request.param):
        subprocess.run(["tar", "-x", "-C", folder], input=git("archive", request.param), check=True)
        return folder, PROJECT
    return PROJECT, newer_tree.make(folder)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def upgrade(request, trees, tmp_path_factory) -> Upgrade:
    """An earlier version migrates an empty database. The present one begins with a copy, which costs less."""
    home, (old, new) = tmp_path_factory.mktemp("home"), trees
    database, is_copy = {}, old == PROJECT
    if request.param == "postgresql":
        server = request.getfixturevalue("private_postgresql")
        name = migrated.NAME if is_copy else f"upgrade_{home.name}"
        if not is_copy:
            server.make(name)
        database = {"DATABASE_URL": server.url(name)}
    elif is_copy:
        migrated.sqlite(home / "durascope.sqlite3")
    module = "from tests.upgrades.filled import fill, content; import json, sys; "
    tokens, before = run(old, home, database, f"{module}tokens = fill(); print(); content(tokens)").splitlines()
    after = run(new, home, database, f"{module}content({tokens})")
    return Upgrade(json.loads(before), json.loads(after))


def test_the_content_is_the_same(upgrade):
    assert upgrade.upgraded == upgrade.filled


def test_the_earlier_installation_held_real_content(upgrade):
    found = upgrade.filled
    assert [password for _, password in found["passwords"]] == ["p@ss: wörd"]
    assert found["links"] == [[200, True], [200, True]]
    assert all(found.values())
    assert any("lost acknowledged commits in 4 of 4 power losses" in sentence for *_, sentence in found["experiments"])
