"""Something in a server's place asks for the password in a way that lets it read it."""

import socket
import ssl
from contextlib import nullcontext

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.certificate import certificate
from tests.unit.servers.impostor import (
    ASKS,
    FULL_LOGIN,
    PASSWORD,
    SALT,
    Impostor,
    OffersTls,
    socket_file,
    target,
)
from tests.unit.servers.played import Played
from workers.errors import AccessDenied, DurascopeError, Unreachable
from workers.servers.connection import _must_be_encrypted, connect
from workers.servers.logins import BY_KEY, CLEAR
from workers.servers.pins import fingerprint

READABLE = (*BY_KEY, *CLEAR)
UNKNOWN = ("client_ed25519", "parsec", "never_heard_of")
OTHER_PIN = fingerprint(b"another")


def a_port():
    return socket.create_server(("127.0.0.1", 0))


@pytest.fixture
def listening():
    return a_port()


@pytest.fixture
def own_certificate(tmp_path):
    return certificate(tmp_path)


@pytest.fixture
def pin(own_certificate):
    return fingerprint(ssl.PEM_cert_to_DER_cert("-----BEGIN CERT" + own_certificate.read_text().split("BEGIN CERT")[1]))


@pytest.fixture
def encrypted(own_certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own_certificate)
    return context


class Key:
    def __init__(self):
        self._key = rsa.generate_private_key(65537, 2048)
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        self.pem = self._key.public_key().public_bytes(serialization.Encoding.PEM, form)

    def steals(self, heard):
        """The password, read with this key from the end of what was heard; b"": it is not in there."""
        try:
            hidden = self._key.decrypt(heard[-256:], padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
        except ValueError:
            return b""
        return bytes(one ^ SALT[at % 20] for at, one in enumerate(hidden)).rstrip(b"\0")

    def asks(self, plugin):
        """What a server with this key asks after its request."""
        sent = b"\x01" + self.pem
        return [FULL_LOGIN, sent] if plugin == "caching_sha2_password" else [sent]


@pytest.fixture(scope="module")
def key():
    return Key()


@pytest.fixture(scope="module")
def other_key():
    return Key()


@pytest.mark.parametrize("at_once", [False, True], ids=["after another", "at once"])
@pytest.mark.parametrize("tls", ["off", "preferred"])
@pytest.mark.parametrize("plugin", [plugin for plugin in ASKS if plugin != "mysql_native_password"])
def test_nothing_but_a_scramble_is_sent_to_a_server_that_is_not_proven(listening, plugin, tls, at_once, key):
    impostor = Impostor(listening, plugin, at_once, more=key.asks(plugin))
    with pytest.raises(AccessDenied) as refused:
        connect(target(listening, tls=tls), timeout_s=5)
    assert plugin in str(refused.value) and refused.value.fix
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard and not key.steals(heard)


@pytest.mark.parametrize("at_once", [False, True], ids=["after another", "at once"])
@pytest.mark.parametrize("tls", ["preferred", "required"])
@pytest.mark.parametrize("plugin", READABLE)
def test_the_password_is_not_sent_under_a_certificate_that_nobody_confirmed(listening, encrypted, plugin, tls, at_once):
    impostor = Impostor(listening, plugin, at_once, tls=encrypted, more=[FULL_LOGIN])
    with pytest.raises(AccessDenied, match="not sent"):
        connect(target(listening, tls=tls, key_pin="another way"), timeout_s=5)
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard


@pytest.mark.parametrize("tls", ["preferred", "required"])
def test_a_certificate_that_is_not_the_confirmed_one_ends_the_login(listening, encrypted, pin, tls):
    impostor = Impostor(listening, "mysql_clear_password", tls=encrypted)
    with pytest.raises(AccessDenied, match="another certificate") as refused:
        connect(target(listening, tls=tls, certificate_pin=OTHER_PIN), timeout_s=5)
    assert OTHER_PIN in refused.value.message and pin in refused.value.message and "server pin x" in refused.value.fix
    assert impostor.all_that_it_heard() == b"", "not even the name of the account"


@pytest.mark.parametrize("tls", ["preferred", "required"])
@pytest.mark.parametrize("plugin", READABLE)
def test_the_control_the_password_is_sent_under_the_confirmed_certificate(listening, encrypted, pin, plugin, tls):
    more = [FULL_LOGIN] if plugin == "caching_sha2_password" else []
    impostor = Impostor(listening, plugin, tls=encrypted, more=more)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening, tls=tls, certificate_pin=pin), timeout_s=5)
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()


def test_a_server_whose_certificate_was_confirmed_cannot_go_back_to_plain_text(listening):
    impostor = Impostor(listening, "caching_sha2_password")
    with pytest.raises(Unreachable, match="no TLS"):
        connect(target(listening, tls="preferred", certificate_pin=OTHER_PIN), timeout_s=5)
    assert impostor.all_that_it_heard() == b""


@pytest.mark.parametrize("plugin", BY_KEY)
def test_only_the_owner_of_the_confirmed_key_can_read_the_password(plugin, key, other_key):
    for shown in (key, other_key):
        listening = a_port()
        asks = shown.asks(plugin)
        impostor = Impostor(listening, plugin, more=asks[:1] if plugin == "caching_sha2_password" else ())
        with pytest.raises(DurascopeError):  # it hangs up then
            connect(target(listening, tls="off", key_pin=key.pem.decode()), timeout_s=5)
        heard = impostor.all_that_it_heard()
        assert (key.steals(heard), other_key.steals(heard)) == (PASSWORD, b"")


def test_a_key_that_nobody_asked_for_does_not_replace_the_confirmed_one(listening, key, other_key):
    impostor = Impostor(listening, "sha256_password", at_once=True, more=[b"\x01" + other_key.pem])
    with pytest.raises(AccessDenied):
        connect(target(listening, tls="off", key_pin=key.pem.decode()), timeout_s=5)
    assert not other_key.steals(impostor.all_that_it_heard())


@pytest.mark.parametrize("plugin", BY_KEY)
def test_a_server_of_an_older_version_may_show_any_key_until_it_is_confirmed(listening, plugin, key):
    impostor = Impostor(listening, plugin, more=key.asks(plugin))
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening, tls="off", any_key=True), timeout_s=5)
    assert key.steals(impostor.all_that_it_heard()) == PASSWORD


@pytest.mark.parametrize("plugin", CLEAR)
def test_even_then_clear_text_is_refused(listening, plugin):
    impostor = Impostor(listening, plugin)
    with pytest.raises(AccessDenied, match="in clear text"):
        connect(target(listening, any_key=True), timeout_s=5)
    assert PASSWORD not in impostor.all_that_it_heard()


@pytest.mark.parametrize("through", ["a socket file", "a port"])
def test_a_password_of_mysql_4_is_never_answered(through, tmp_path, encrypted, pin):
    listening = socket_file(tmp_path) if through == "a socket file" else a_port()
    tls = None if through == "a socket file" else encrypted
    impostor = Impostor(listening, "mysql_old_password", tls=tls)
    with pytest.raises(AccessDenied, match=r"MySQL 4\.0"):
        connect(target(listening, certificate_pin=pin), timeout_s=5)
    assert impostor.all_that_it_heard()


@pytest.mark.parametrize(
    ("packet", "words"), [(b"\xfe", "mysql_old_password"), (b"\x02x\0", "second factor")], ids=["short", "factor"]
)
def test_other_requests_are_told_in_our_words(listening, packet, words):
    impostor = Impostor(listening, "mysql_native_password", says=packet)
    with pytest.raises(AccessDenied, match=words):
        connect(target(listening), timeout_s=5)
    impostor.ended()


@pytest.mark.parametrize("plugin", UNKNOWN)
def test_a_plugin_that_is_not_known_is_named_with_what_to_do(listening, plugin):
    impostor = Impostor(listening, plugin)
    with pytest.raises(AccessDenied, match=plugin) as refused:
        connect(target(listening), timeout_s=5)
    assert "mysql_native_password" in refused.value.fix
    impostor.ended()


@pytest.mark.parametrize("plugin", CLEAR)
def test_the_password_is_sent_to_the_server_that_the_certificate_names(listening, encrypted, own_certificate, plugin):
    impostor = Impostor(listening, plugin, tls=encrypted)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening, tls="verify", tls_ca=str(own_certificate)), timeout_s=5)
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()


@pytest.mark.parametrize("plugin", [*CLEAR, "sha256_password"])
def test_the_password_is_sent_through_a_socket_file(plugin, tmp_path):
    """Whoever answers there owns the file."""
    listening = socket_file(tmp_path)
    impostor = Impostor(listening, plugin)
    with pytest.raises(DurascopeError):  # it hangs up then
        connect(target(listening), timeout_s=5)
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()


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
