"""Something in a server's place asks for the password in clear text."""

import socket
import ssl
from contextlib import nullcontext

import pytest

from tests.unit.notifications.test_webhook import certificate
from tests.unit.servers.impostor import PASSWORD, Impostor, OffersTls, socket_file, target
from tests.unit.servers.played import Played
from workers.errors import AccessDenied, DurascopeError, Unreachable
from workers.servers.clear_text import PLUGINS
from workers.servers.connection import _must_be_encrypted, connect


def a_port():
    return socket.create_server(("127.0.0.1", 0))


@pytest.fixture
def listening():
    return a_port()


@pytest.fixture
def own_certificate(tmp_path):
    return certificate(tmp_path)


@pytest.fixture
def encrypted(own_certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own_certificate)
    return context


@pytest.mark.parametrize("at_once", [False, True], ids=["after another", "at once"])
@pytest.mark.parametrize("tls", ["off", "preferred"])
@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_password_is_not_sent_in_clear_text(listening, plugin, tls, at_once):
    impostor = Impostor(listening, plugin, at_once)
    with pytest.raises(AccessDenied, match="in clear text") as refused:
        connect(target(listening, tls=tls), timeout_s=5)
    assert plugin in str(refused.value) and "TLS mode 'verify'" in refused.value.fix
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard


@pytest.mark.parametrize("tls", ["preferred", "required"])
@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_password_is_not_sent_under_a_certificate_that_nobody_looked_at(listening, encrypted, plugin, tls):
    impostor = Impostor(listening, plugin, tls=encrypted)
    with pytest.raises(AccessDenied, match="in clear text"):
        connect(target(listening, tls=tls), timeout_s=5)
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_password_is_sent_to_the_server_that_the_certificate_names(listening, encrypted, own_certificate, plugin):
    impostor = Impostor(listening, plugin, tls=encrypted)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening, tls="verify", tls_ca=str(own_certificate)), timeout_s=5)
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_password_is_sent_through_a_socket_file(plugin, tmp_path):
    """Whoever answers there owns the file."""
    listening = socket_file(tmp_path)
    impostor = Impostor(listening, plugin)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening), timeout_s=5)
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()


@pytest.mark.parametrize("through", ["a socket file", "a port"])
def test_only_through_a_socket_file_a_password_needs_no_encryption(through, tmp_path):
    """Elsewhere the driver asks for the server's public key first."""
    listening = socket_file(tmp_path) if through == "a socket file" else a_port()
    impostor = Impostor(listening, "caching_sha2_password", at_once=True)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening, tls="off"), timeout_s=5)
    assert (PASSWORD + b"\0" in impostor.all_that_it_heard()) == (through == "a socket file")


@pytest.mark.parametrize(
    ("tls", "through", "asks"),
    [
        ("off", "a port", False),
        ("preferred", "a port", True),
        ("preferred", "a socket file", False),
        ("required", "a socket file", True),
    ],
)
def test_tls_is_asked_for_where_it_is_wanted_and_the_bytes_leave_the_host(tmp_path, tls, through, asks):
    listening = socket_file(tmp_path) if through == "a socket file" else a_port()
    server = OffersTls(listening)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening, tls=tls), timeout_s=5)
    assert server.was_asked_for_tls() == asks


@pytest.mark.parametrize("tls", ["required", "verify"])
def test_without_tls_nothing_is_sent_where_it_must_be(listening, tls):
    impostor = Impostor(listening, "mysql_clear_password")
    with pytest.raises(DurascopeError):
        connect(target(listening, tls=tls), timeout_s=5)
    assert impostor.all_that_it_heard() == b""


@pytest.mark.parametrize(("cipher", "is_closed"), [("TLS_AES_256_GCM_SHA384", False), ("", True)])
def test_where_tls_is_required_the_server_must_confirm_it(listening, cipher, is_closed):
    connection, closed = Played({"SHOW SESSION STATUS LIKE 'Ssl_cipher'": [("Ssl_cipher", cipher)]}), []
    connection.close = lambda: closed.append(True)
    with listening, pytest.raises(Unreachable) if is_closed else nullcontext():
        _must_be_encrypted(connection, target(listening, tls="required"))
    assert bool(closed) == is_closed
