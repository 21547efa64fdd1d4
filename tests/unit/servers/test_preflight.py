"""*Test connection*: every check has an answer, and one that breaks says so."""

from dataclasses import replace

import pytest

from tests.unit.servers.played import Played
from workers.errors import AccessDenied, ServerError, Unreachable
from workers.servers import preflight, reading
from workers.servers.checks import PreflightAnswer
from workers.servers.facts import Facts
from workers.servers.keys import SeenKeys
from workers.servers.replication import Replication
from workers.servers.target import Target

TARGET = Target("x", "attached", "u", "p", host="h", tls="verify")
FACTS = Facts("mariadb", (10, 11, 6), "10.11.6", {}, {})
ALONE = Replication(1, 3306, (), (), ())


def refuses(scene):
    raise ServerError("The account may not look.", "GRANT PROCESS ON *.* TO x;")


CHECKS = {
    "ready": ("Is it ready?", lambda scene: PreflightAnswer("warned", scene.facts.version_text, "Wait.")),
    "refused": ("May we look?", refuses),
    "broken": ("Is it sound?", lambda scene: {}["sound"]),
}


def test_each_check_is_answered_whatever_another_one_does(monkeypatch):
    for module in (preflight, reading):
        monkeypatch.setattr(module, "connect", lambda *_, **__: Played({}))
    monkeypatch.setattr(preflight.look, "read", lambda connection: FACTS)
    monkeypatch.setattr(preflight.replication, "read", lambda connection, facts: ALONE)
    monkeypatch.setattr(preflight.free_disk, "least_free", lambda *_: 7)
    monkeypatch.setattr(preflight, "CHECKS", CHECKS)
    found = preflight.run(TARGET)
    assert [(one.key, one.title, one.outcome, one.says, one.fix) for one in found.checks] == [
        ("ready", "Is it ready?", "warned", "10.11.6", "Wait."),
        ("refused", "May we look?", "unknown", "The account may not look.", "GRANT PROCESS ON *.* TO x;"),
        ("broken", "Is it sound?", "unknown", "The check failed: KeyError: 'sound'.", ""),
    ]
    assert (found.facts, found.replication, found.free_bytes) == (FACTS, ALONE, 7)
    assert reading.read(TARGET) == reading.ServerReading(FACTS, ALONE, why="")


@pytest.mark.parametrize(
    ("lets_in", "encrypted", "pin", "compared"),
    [
        (True, True, "", ""),
        (True, True, "AA", "AA"),
        (True, False, "AA", ""),  # nothing compared it, as in the mode *off*
        (False, True, "AA", ""),
    ],
)
def test_only_what_the_connection_compared_is_not_asked_for_again(monkeypatch, lets_in, encrypted, pin, compared):
    def connect(*_, **__):
        if lets_in:
            played = Played({})
            played.certificate = lambda: b"DER" if encrypted else b""
            return played
        raise AccessDenied("It shows another certificate.")

    monkeypatch.setattr(preflight, "connect", connect)
    monkeypatch.setattr(preflight.look, "read", lambda connection: FACTS)
    monkeypatch.setattr(preflight.replication, "read", lambda connection, facts: ALONE)
    monkeypatch.setattr(preflight.free_disk, "least_free", lambda *_: 7)
    monkeypatch.setattr(preflight, "CHECKS", CHECKS)
    monkeypatch.setattr(preflight.keys, "seen", lambda target, certificate: SeenKeys(certificate, "asked"))
    found = preflight.run(replace(TARGET, tls="preferred", certificate_pin=pin, key_pin="stored"))
    assert found.keys == SeenKeys(compared, "asked")
    assert preflight.run(replace(TARGET, certificate_pin=pin)).keys is None, "an authority proves it"


def test_a_server_that_is_not_reached_is_not_asked_for_its_key(monkeypatch):
    def connect(*_, **__):
        raise Unreachable("Nothing listens there.")

    monkeypatch.setattr(preflight, "connect", connect)
    monkeypatch.setattr(preflight.keys, "seen", None)
    assert preflight.run(replace(TARGET, tls="off")).keys is None
