"""The faults of the chaos: what can be said of them without an installation."""

import socket
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest

from tests.bench.chaos import campaign, host_faults, stopped_faults
from tests.bench.chaos.faults import FAULTS
from tests.bench.chaos.invariants import INVARIANTS, KEPT
from tests.bench.chaos.place import Place
from tests.bench.chaos.plans import SHAPES
from tests.bench.chaos.relay import Relay
from tests.bench.chaos.story import Story
from tests.bench.chaos.worker import OWN
from tests.real.served import HOST
from workers.host import memory
from workers.upkeep import memory_watch

NEW = (
    "answers without end",
    "memory limit reached",
    "redis out of memory",
    "password changed",
    "account renamed",
    "certificate changed",
    "clock jump",
    "disk of the sandbox full",
    "socket activation during restore",
    "upgrade cut off",
)


def test_every_fault_fits_a_shape():
    assert not [name for name, fault in FAULTS.items() if not any(map(fault.fits, SHAPES.values()))]


@pytest.mark.parametrize("name", NEW)
def test_the_list_names_it(name, capsys):
    assert campaign.run(None, SimpleNamespace(list=True)) == 0
    assert name in capsys.readouterr().out.splitlines()


def test_what_was_touched_breaks_the_round():
    story = Story(1, "attached")
    assert INVARIANTS[KEPT](None, story) == []
    story.unkept.append("a password was sent")
    assert INVARIANTS[KEPT](None, story) == ["a password was sent"]


def test_a_worker_sees_the_limit_while_the_fault_lasts(tmp_path):
    place = Place(tmp_path, None, "", "")
    place.memory.mkdir()
    seen = []

    def look(seconds):
        seen.append(memory.use(place.memory, place.memory / OWN))

    here = SimpleNamespace(place=place, pause=look)
    look(0)
    host_faults.memory_limit_reached(SimpleNamespace(installation=here, a_while=lambda: 1.0))
    look(0)
    assert seen[0] is None and seen[1].share > memory_watch.NEAR and seen[2] is None


def answering(text):
    """A server that says this to whoever comes."""
    listening = socket.create_server((HOST, 0))

    def serve():
        while True:
            try:
                caller, _ = listening.accept()
            except OSError:
                return
            with caller:
                caller.sendall(text)

    threading.Thread(target=serve, daemon=True).start()
    return listening


def said_at(port):
    with socket.create_connection((HOST, port)) as link:
        return link.makefile("rb").read()


def test_the_relay_can_be_turned_towards_another_server():
    with answering(b"one") as one, answering(b"other") as other:
        with closing(Relay(one.getsockname()[1])) as relay:
            with relay.towards(other.getsockname()[1]):
                turned = said_at(relay.port)
            heard = said_at(relay.port)
        for listening in (one, other):
            listening.shutdown(socket.SHUT_RDWR)
    assert (turned, heard) == (b"other", b"one")


def test_a_process_with_the_database_before_is_found(tmp_path):
    live = tmp_path / "durascope.sqlite3"
    live.write_bytes(b"old")
    with live.open("rb"):
        assert not stopped_faults.old_database("self")
        live.rename(f"{live}.before-1")
        assert stopped_faults.old_database("self").startswith(str(live))
    assert not stopped_faults.old_database("self")
