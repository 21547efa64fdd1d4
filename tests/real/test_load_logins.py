"""Something in a server's place asks sysbench for the password in a way that lets it read it."""

import socket

import pytest

from tests.unit.servers.impostor import ASKS, PASSWORD, Impostor, socket_file, target
from tests.unit.servers.test_logins import READABLE, Key
from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.errors import DurascopeError
from workers.servers.logins import CLEAR

OLD_SCRAMBLE = 8  # bytes, of mysql_old_password


def call(of):
    """sysbench calls the impostor, which hangs up on it."""
    request = LoadRequest(of, "durascope_x", "update-by-key", {}, "innodb", 10, 1, 1, 7)
    with pytest.raises(DurascopeError) as failed:
        sysbench.prepare(request, lambda: False)
    return failed.value


@pytest.fixture(scope="module")
def key():
    return Key()


@pytest.mark.parametrize("tls", ["off", "preferred"])
@pytest.mark.parametrize("plugin", ASKS)
def test_sysbench_answers_none_of_them(plugin, tls, key):
    """It sends the scramble for the greeting, and then nothing."""
    listening = socket.create_server(("127.0.0.1", 0))
    impostor = Impostor(listening, plugin, more=key.asks(plugin))
    failed = call(target(listening, tls=tls))
    heard = impostor.all_that_it_heard()
    assert heard.endswith(b"mysql_native_password\0") and PASSWORD not in heard
    assert "may not be used" in failed.message and failed.fix


@pytest.mark.parametrize(
    "packet", [b"\xfe", b"\xfe\0", b"\xfe" + b"mysql_old_password\0"], ids=["short", "empty", "bare"]
)
def test_a_password_of_mysql_4_is_never_answered(packet):
    listening = socket.create_server(("127.0.0.1", 0))
    impostor = Impostor(listening, "mysql_native_password", says=packet)
    call(target(listening, any_key=True))
    heard = impostor.all_that_it_heard()
    assert len(heard.partition(b"mysql_native_password\0")[2]) < OLD_SCRAMBLE


@pytest.mark.parametrize("plugin", CLEAR)
def test_the_control_sysbench_would_send_it(plugin, tmp_path):
    """Through a socket file, whose owner answers there, it does."""
    listening = socket_file(tmp_path)
    impostor = Impostor(listening, plugin)
    call(target(listening))
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()


def test_the_control_a_scramble_of_mysql_8_is_sent_where_the_key_is_known(key):
    listening = socket.create_server(("127.0.0.1", 0))
    impostor = Impostor(listening, "caching_sha2_password")
    call(target(listening, tls="off", key_pin=key.pem.decode()))
    assert len(impostor.all_that_it_heard().partition(b"mysql_native_password\0")[2]) == 4 + 32


@pytest.mark.parametrize("plugin", READABLE)
def test_only_the_owner_of_the_confirmed_key_can_read_the_password(plugin, key):
    """A client library made with GnuTLS encrypts with none."""
    other = Key()
    listening = socket.create_server(("127.0.0.1", 0))
    impostor = Impostor(listening, plugin, more=other.asks(plugin))
    call(target(listening, tls="off", key_pin=key.pem.decode()))
    heard = impostor.all_that_it_heard()
    assert PASSWORD not in heard and not other.steals(heard)
