"""Files start in the order of the time that they took; the order inside a file stays."""

import json
from types import SimpleNamespace

from tests import longest_first


def in_order(seconds, *nodeids):
    items = [SimpleNamespace(nodeid=nodeid) for nodeid in nodeids]
    return [item.nodeid for item in longest_first.longest_first(items, seconds)]


def test_the_longest_file_starts_first_and_an_unknown_one_before_it():
    seconds = {"short.py": 0.1, "long.py": 90.0}
    tests = "short.py::a", "short.py::b", "long.py::b", "long.py::a", "new.py::a"
    assert in_order(seconds, *tests) == ["new.py::a", "long.py::b", "long.py::a", "short.py::a", "short.py::b"]


def test_an_unknown_unit_test_starts_last():
    assert in_order({"short.py": 0.1}, "tests/unit/new.py::a", "short.py::a") == ["short.py::a", "tests/unit/new.py::a"]


def test_unit_tests_are_spread_over_the_whole_run():
    seconds = {"tests/unit/a.py": 2, "tests/unit/b.py": 1, "tests/unit/c.py": 1, "d.py": 60, "e.py": 30, "f.py": 10}
    found = in_order(seconds, *(f"{file}::one" for file in seconds))
    assert [one.removesuffix(".py::one")[-1] for one in found] == ["d", "a", "b", "e", "c", "f"]


def test_a_run_writes_what_each_file_took(tmp_path, monkeypatch):
    monkeypatch.setattr(longest_first, "KNOWN", tmp_path / "seconds.json")
    watch = longest_first.Stopwatch()
    for nodeid, duration in (("b.py::one", 1.04), ("b.py::two", 2.0), ("a.py::one[x::y]", 0.02)):
        watch.pytest_runtest_logreport(SimpleNamespace(nodeid=nodeid, duration=duration))
    watch.pytest_sessionfinish()
    assert json.loads((tmp_path / "seconds.json").read_text()) == {"a.py": 0.0, "b.py": 3.0}
    assert longest_first.known_seconds() == {"a.py": 0.0, "b.py": 3.0}
