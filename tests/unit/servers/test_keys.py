"""The certificate and the key that a server shows are read without its password."""

import ssl

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.certificate import certificate
from tests.unit.servers.impostor import ASKS, FULL_LOGIN, PASSWORD, Impostor, OffersTls, target
from tests.unit.servers.test_logins import Key, a_port
from workers.errors import Unreachable
from workers.servers import keys
from workers.servers.keys import SeenKeys, seen
from workers.servers.logins import BY_KEY
from workers.servers.pins import fingerprint, key_fingerprint, public_key


@pytest.fixture(scope="module")
def key():
    return Key()


@pytest.fixture
def listening():
    return a_port()


def shows(listening, folder):
    """A server with a certificate, and its fingerprint."""
    file = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    public = file.read_text()[file.read_text().index("-----BEGIN CERT") :]
    return Impostor(listening, "mysql_native_password", tls=context), fingerprint(ssl.PEM_cert_to_DER_cert(public))


def test_the_certificate_is_read_and_nothing_is_sent(listening, tmp_path):
    impostor, pin = shows(listening, tmp_path)
    assert seen(target(listening, tls="required")) == SeenKeys(certificate=pin)
    assert impostor.all_that_it_heard() == b"" and len(pin) == 32 * 3 - 1


def test_a_certificate_that_mariadb_makes_at_each_start_is_none_to_confirm(listening, tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "AT_START", b"localhost")  # as the certificate of the test names subject and issuer
    impostor, _ = shows(listening, tmp_path)
    assert not seen(target(listening, tls="required"))
    impostor.ended()


@pytest.mark.parametrize("at_once", [False, True], ids=["after another", "at once"])
@pytest.mark.parametrize("plugin", BY_KEY)
def test_the_key_is_read_without_the_password(listening, plugin, at_once, key):
    if at_once and plugin == "sha256_password":
        plugin = "caching_sha2_password"
    asks = key.asks(plugin)[at_once:]
    impostor = Impostor(listening, plugin, at_once, more=asks)
    found = seen(target(listening, tls="off"))
    assert found.key == key.pem.decode() and found.key_fingerprint == key_fingerprint(key.pem.decode())
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard and not key.steals(heard)


@pytest.mark.parametrize("plugin", [plugin for plugin in ASKS if plugin not in BY_KEY])
def test_a_server_that_asks_in_another_way_shows_none(listening, plugin):
    impostor = Impostor(listening, plugin)
    assert not seen(target(listening, tls="off"))
    assert PASSWORD not in impostor.all_that_it_heard()


def test_what_the_tls_mode_never_uses_is_not_asked_for(listening, tmp_path):
    """So it is not told to be gone."""
    impostor, pin = shows(listening, tmp_path)
    assert seen(target(listening, tls="required")) == SeenKeys(pin, None)
    impostor.ended()
    listening = a_port()
    impostor = Impostor(listening, "dialog")
    assert seen(target(listening, tls="off")) == SeenKeys(None, "")
    impostor.ended()


def test_a_certificate_that_a_connection_compared_is_not_asked_for_again():
    with a_port() as listening:  # nobody answers there
        assert seen(target(listening, tls="required"), certificate="AA") == SeenKeys("AA")


def elliptic():
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(serialization.Encoding.PEM, form)


@pytest.mark.parametrize("sent", [b"", b"no key", elliptic(), b"A" * 9000, b"\xff" * 20])
def test_what_is_no_rsa_key_is_none(listening, sent):
    impostor = Impostor(listening, "caching_sha2_password", more=[FULL_LOGIN, b"\x01" + sent])
    assert not seen(target(listening, tls="off"))
    impostor.ended()
    assert public_key(sent) == ""


@pytest.mark.parametrize(
    "packet", [b"\xff\x15\x04#28000no", b"\x00\x00\x00\x02\x00\x00\x00"], ids=["refused", "let in"]
)
def test_a_server_that_ends_the_login_shows_none(listening, packet):
    impostor = Impostor(listening, "mysql_native_password", says=packet)
    assert not seen(target(listening, tls="off"))
    impostor.ended()


def test_a_server_that_hangs_up_is_not_reached(listening):
    """So its key is unknown, instead of none."""
    server = OffersTls(listening)
    with pytest.raises(Unreachable):
        seen(target(listening, tls="required"))
    server.ended()
