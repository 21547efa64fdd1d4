"""Something listens at the address, but it is no MySQL server."""

import random
import socket
import threading
from pathlib import Path

import pytest

from workers.errors import DurascopeError, Unreachable
from workers.servers import preflight
from workers.servers.connection import connect
from workers.servers.target import Target


def packet(body: bytes, number: int = 0) -> bytes:
    return len(body).to_bytes(3, "little") + bytes([number]) + body


CHANCE = random.Random(20)
SAID = [
    b"SSH-2.0-OpenSSH_9.2\r\n",
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
    packet(b""),
    packet(b"\x0a"),
    packet(b"\x0a5.7.0\x00\x01\x02"),
    packet(b"\x0a\xff\xfe\x00" + bytes(60)),
    *(packet(b"\x0a" + CHANCE.randbytes(CHANCE.randrange(1, 90))) for _ in range(20)),
    *(packet(CHANCE.randbytes(CHANCE.randrange(1, 90))) for _ in range(20)),
]


@pytest.fixture
def stranger():
    """Says its piece to whoever connects, then hangs up; returns the target that leads to it."""
    listening = socket.create_server(("127.0.0.1", 0))
    made = []

    def speak(words: bytes) -> Target:
        def once():
            caller, _ = listening.accept()
            with caller:
                caller.sendall(words)

        made.append(threading.Thread(target=once))
        made[-1].start()
        return Target("x", "attached", "u", "p", host="127.0.0.1", port=listening.getsockname()[1])

    yield speak
    for thread in made:
        thread.join()
    listening.close()


@pytest.mark.parametrize("words", SAID, ids=range(len(SAID)))
def test_connecting_fails_in_our_words(stranger, words):
    with pytest.raises(DurascopeError):
        connect(stranger(words), timeout_s=2)


def test_a_server_that_is_no_mysql_is_reported(stranger):
    with pytest.raises(Unreachable, match="not like a MySQL or MariaDB server"):
        connect(stranger(packet(b"\x0a5.7.0\x00\x01\x02")), timeout_s=2)


def open_files():
    return len([*Path("/proc/self/fd").iterdir()])


def test_a_socket_file_that_is_not_there_leaves_nothing_open(tmp_path):
    """Also while somebody still holds the error."""
    before = open_files()
    with pytest.raises(DurascopeError) as failed:
        connect(Target("x", "attached", "u", "p", socket=str(tmp_path / "none")), timeout_s=2)
    assert open_files() == before and failed.value


def test_a_test_of_the_connection_is_answered_whatever_happens(monkeypatch):
    monkeypatch.setattr(preflight.look, "read", lambda connection: {}["version"])
    monkeypatch.setattr(preflight, "connect", lambda target, whole: socket.socket())
    result = preflight.run(Target("x", "attached", "u", "p", host="h"))
    assert result.facts is None
    assert (result.checks[0].outcome, result.checks[0].says) == ("failed", "The test failed: KeyError: 'version'.")
