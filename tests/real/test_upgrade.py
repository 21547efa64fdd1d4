"""deploy/install.sh --upgrade: whatever fails, the version before runs again with its database."""

import os
import signal
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.real.fake_host import FakeHost, database_of_somebody_else, folder_of_hosts

pytestmark = [
    pytest.mark.skipif("DOORS" not in os.environ, reason="takes minutes: scripts/test doors"),
    pytest.mark.timeout(600),
]
UNITS = {"durascope-redis.service", "durascope-web.socket", "durascope-web.service", "durascope-beat.service",
         "durascope-worker@local.service"}  # fmt: skip
MIGRATION = """
from django.db import migrations
class Migration(migrations.Migration):
    dependencies = [("sharing", "{before}")]
    operations = [migrations.RunSQL("{sql}")]
"""
ADDS = "UPDATE auth_user SET first_name = 'changed by the upgrade'"
FAILS = "UPDATE no_such_table SET x = 1"
ASK = """
from django.contrib.auth.models import User
print(list(User.objects.values_list("username", "first_name")))
"""


@pytest.fixture(scope="module")
def folder():
    with folder_of_hosts() as made:
        yield made


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def address(request):
    """DATABASE_URL; empty: SQLite."""
    with nullcontext("") if request.param == "sqlite" else database_of_somebody_else() as made:
        yield made


@pytest.fixture(scope="module")
def installed(folder, address):
    """A host with an installation, and the tree it came from."""
    host = FakeHost(folder / ("postgresql" if address else "sqlite"))
    given = host.environment(DATABASE_URL=address)
    status, said = host.install(host.tree("first"), "--proxy", "none", "--environment", given)
    assert status == 0 and "is an administrator" in said, said
    assert host.running() == UNITS
    return host


def newer(host, name, *migrations):
    """A tree with more migrations, each the SQL of one step."""
    tree = host.tree(name)
    folder = tree / "dashboard/records/sharing/migrations"
    before = max(path.stem for path in folder.glob("0*.py"))
    for number, sql in enumerate(migrations):
        stem = f"9{number:03}_{name}"
        (folder / f"{stem}.py").write_text(MIGRATION.format(before=before, sql=sql))
        before = stem
    return tree


@pytest.fixture(scope="module")
def good(installed):
    return newer(installed, "good", ADDS)


@pytest.fixture
def before(installed):
    """Everything that an upgrade which failed must leave."""

    def state():
        status, said = installed.run("durascope", "shell", "-v", "0", "-c", ASK)
        assert status == 0, said
        _, applied = installed.run("durascope", "showmigrations", "--plan", "sharing")
        units = {file.name: file.read_text() for file in (installed.folder / "etc/systemd/system").glob("durascope*")}
        return installed.release(), installed.running(), said, applied, units

    known = state()
    installed.calls()
    yield
    installed.answer(pip="exit 0", answers="exit 0")
    assert state() == known and installed.running() == UNITS


def test_a_second_run_changes_nothing(installed):
    status, said = installed.install(installed.folder / "first")
    assert status == 0 and said.startswith("Nothing had to be changed."), said


def test_another_version_is_not_installed_without_being_asked(installed, before, good):
    status, said = installed.install(good)
    assert status == 2 and "deploy/install.sh --upgrade" in said


def test_a_failed_pip_leaves_the_version_before_running(installed, before, good):
    installed.answer(pip="echo no network >&2; exit 1")
    status, said = installed.install(good, "--upgrade")
    assert status == 2 and "pip could not install" in said and "The installed version runs on" in said, said
    assert installed.calls() == [], "nothing was stopped"


def test_a_migration_that_fails_is_taken_back_with_those_before_it(installed, before):
    status, said = installed.install(newer(installed, "bad", ADDS, FAILS), "--upgrade")
    assert status != 0 and "Down from now on: the web pages" in said, said
    assert "The database of before the upgrade was put back" in said and "It was down for" in said, said
    assert any(call.startswith("stop") and "durascope-web" in call for call in installed.calls())


def test_a_version_that_does_not_answer_is_taken_back(installed, before, good):
    installed.answer(answers="echo silent; exit 1")
    status, said = installed.install(good, "--upgrade")
    assert status == 2 and "Going back to the version before." in said, said
    assert "The database of before the upgrade was put back" in said


def killed(host, tree, reached):
    """An upgrade that is killed, with its children, when that file is there."""
    process = host.start(tree / "deploy/install.sh", "--upgrade")
    until = time.monotonic() + 500
    while not reached() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    said = process.communicate()[0]
    assert reached() and "Going back" not in said, said


def test_after_a_kill_the_next_run_goes_back(installed, before, good):
    """When the database is migrated, and the first service starts. The database of the new version is kept."""
    release, hangs = installed.release(), installed.state / "hangs"
    hangs.touch()
    calls = installed.state / "calls"
    killed(installed, good, lambda: "enable" in calls.read_text())
    hangs.unlink()
    installed.answer(answers=f"readlink /opt/durascope | grep -q {Path(release).name}")
    status, said = installed.install(installed.folder / "first")
    assert status == 0 and "go back, because an upgrade was cut off and the new version does not answer" in said, said
    assert (installed.folder / "var/lib/durascope/home/after-upgrade").exists()


def test_a_full_disk_is_taken_back(installed, before, good, address):
    if not address:
        pytest.skip("SQLite's file is on the disk that a mount would hide")
    full = "mount -t tmpfs -o size=16k,mode=777 none /var/lib/durascope/home && exec $1 --upgrade"
    status, said = installed.run("bash", "-c", full, "bash", good / "deploy/install.sh")
    assert status != 0 and "No space left on device" in said and "The version before runs again" in said, said


def test_an_upgrade(installed, good):
    """From a folder as version 0.2 made it. It is killed when all is done but the end: the next run ends it."""
    program, release = installed.folder / "opt/durascope", installed.folder / installed.release().lstrip("/")
    program.unlink()
    release.rename(program)
    (program / ".ready").rename(program / ".complete")
    made = installed.folder / "etc/durascope/made"
    made.write_text(made.read_text().replace("link /opt/durascope\n", "folder /opt/durascope\n"))
    reached = installed.state / "reached"
    installed.answer(answers=f"touch {reached}; sleep 600")
    killed(installed, good, reached.exists)
    installed.answer(answers="exit 0")
    status, said = installed.install(good)
    assert status == 0 and "end the upgrade that was cut off: the new version answers" in said, said
    assert "changed by the upgrade" in installed.run("durascope", "shell", "-v", "0", "-c", ASK)[1]
    assert installed.running() == UNITS and "/durascope-releases/" in installed.release()
    kept = {path.name for path in (installed.folder / "opt/durascope-releases").iterdir()}
    assert kept == {"earlier", Path(installed.release()).name}
    status, said = installed.install(good)
    assert status == 0 and said.startswith("Nothing had to be changed."), said


def test_the_removal_leaves_nothing(installed):
    status, said = installed.install(installed.folder / "first", "--uninstall", "--purge")
    assert status == 0 and not installed.running(), said
    left = [path for place in ("opt", "var/lib", "etc/durascope", "usr/local/sbin")
            for path in (installed.folder / place).glob("*durascope*")]  # fmt: skip
    assert not [path for path in left if not path.is_char_device()], left
