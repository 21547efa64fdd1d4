"""A test may fail by chance once in ten builds; the second time fails the build."""

import json
import subprocess
import sys

import pytest

from dashboard.installation.home import PROJECT

TEST = "tests/real/test_x.py::test_it"


@pytest.fixture
def build(tmp_path):
    """`build("test", ...)`: a build in which these tests failed at first; its exit status and what it printed."""

    def run(*failed):
        listed = tmp_path / "lastfailed"
        listed.write_text(json.dumps(dict.fromkeys(failed, True)))
        argv = [sys.executable, "scripts/second_chances.py", str(tmp_path / "none"), str(listed)]
        done = subprocess.run(
            argv, cwd=PROJECT, env={"XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_second_failure_within_ten_builds_fails_the_build(build):
    assert build(TEST) == (0, "")
    assert build("another") == (0, "")
    status, said = build(TEST, "a third")
    assert (status, TEST in said, "a third" in said) == (1, True, False)


def test_a_failure_is_forgotten_after_ten_builds(tmp_path):
    from scripts.second_chances import add_build

    record = add_build({}, [TEST])[0]
    for _ in range(9):
        record, again = add_build(record, [])
    assert again == [] and add_build(record, [TEST])[1] == [], "nine builds lie between"
    assert add_build(add_build({}, [TEST])[0], [TEST])[1] == [TEST]


def test_a_record_that_was_cut_off_begins_empty(build, tmp_path):
    (tmp_path / "durascope").mkdir()
    (tmp_path / "durascope" / "second_chances.json").write_text('{"builds": 3, "fai')
    assert build(TEST) == (0, "")
    assert build(TEST)[0] == 1
