"""manage.py build: what it prints, and its exit status."""

from io import StringIO

import pytest
from django.core.management import call_command

from workers.sandbox.builds import install
from workers.sandbox.builds.catalogue import CATALOGUE


def build(*said: str) -> tuple[int, str]:
    out, status = StringIO(), 0
    try:
        call_command("build", *said, stdout=out, stderr=out)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, out.getvalue()


def test_builds_are_listed_without_a_database(store_folder):
    status, said = build("list")
    assert status == 0
    for key, entry in CATALOGUE.items():
        assert f"{key}: {entry.title}\n    not installed: {entry.download_mib} MiB" in said
        assert entry.purpose in said
    assert str(store_folder) in said


def test_a_build_is_added_and_removed(store_folder, server_folder):
    folder = server_folder("5.7.30")
    assert build("add", "mine", "--basedir", str(folder)) == (
        0,
        f"mine is installed: MySQL 5.7.30, {folder}, version 5.7.30.\n",
    )
    assert "mine: MySQL 5.7.30" in build("list")[1]
    assert build("remove", "mine") == (0, "mine was removed.\n")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (("install", "nope"), "The catalogue has no build called 'nope'"),
        (("remove", "nope"), "No build called 'nope' is installed"),
        (("add", "mine", "--basedir", "/nonexistent"), "There is no /nonexistent"),
        (("add", "mine", "--tarball", "/nonexistent"), "There is no /nonexistent"),
    ],
)
def test_a_wrong_call_is_refused_with_status_2(store_folder, said, answer):
    status, told = build(*said)
    assert status == 2 and answer in told


def test_an_interrupted_install_says_that_nothing_was_installed(store_folder, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "install", stopped)
    status, told = build("install", "mysql-5.6.14")
    assert status == 2 and "Nothing was installed" in told
