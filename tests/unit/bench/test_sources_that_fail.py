"""A source of figures that fails, wherever it fails, costs its figures and nothing else."""

import pytest

from workers.bench import measure
from workers.errors import MissingPrivilege, Unreachable
from workers.metrics.source import Reading, Subject
from workers.servers.facts import Facts

FACTS = Facts("mariadb", (10, 11, 0), "10.11.0", {}, {})


class Connection:
    closed = False

    def close(self):
        self.closed = True


class Stage:
    def __init__(self, full=()):
        self.made, self.full = [], list(full)

    def subject(self):
        if self.full and self.full.pop(0):
            raise Unreachable("no connection left for us.")
        self.made.append(Connection())
        return Subject(self.made[-1], FACTS)


class Source:
    def __init__(self, breaks="", lacks=""):
        self.breaks, self.lacks = breaks, lacks

    def _step(self, name, answer=None):
        if self.breaks == name:
            raise MissingPrivilege(f"not at {name}")
        return answer

    def missing(self, subject):
        return self._step("missing", self.lacks)

    def open(self, subject):
        return self._step("open", self)

    def begin(self):
        self._step("begin")

    def tick(self):
        self._step("tick")

    def end(self):
        return self._step("end", Reading())


@pytest.mark.parametrize("step", ["missing", "open", "begin", "tick", "end"])
def test_a_source_that_fails_is_noted_and_the_others_go_on(monkeypatch, step):
    monkeypatch.setattr(measure, "SOURCES", {"broken": Source(step), "whole": Source()})
    stage = Stage()
    listener = measure.Listener(lambda activity: None, lambda second, warming: None, lambda: False)
    with measure._Watch(stage, ()) as watch:
        watch.tick(None, listener)
        assert list(watch.end()) == ["whole"]
    when = "during" if step in ("tick", "end") else "before"
    assert watch.missing == {"broken": f"failed {when} the run: not at {step}"}
    assert [connection.closed for connection in stage.made] == [True, True]


def test_a_server_without_a_connection_left_for_one_is_noted(monkeypatch):
    monkeypatch.setattr(measure, "SOURCES", {"first": Source(), "second": Source()})
    stage = Stage(full=[True, False])
    with measure._Watch(stage, ()) as watch:
        assert list(watch.end()) == ["second"]
    assert "no connection left" in watch.missing["first"]


def test_a_source_that_the_server_lacks_holds_no_connection_during_the_load(monkeypatch):
    monkeypatch.setattr(measure, "SOURCES", {"lacking": Source(lacks="no table"), "whole": Source()})
    stage = Stage()
    with measure._Watch(stage, ()) as watch:
        assert [connection.closed for connection in stage.made] == [True, False]
    assert watch.missing == {"lacking": "no table"} and stage.made[1].closed
