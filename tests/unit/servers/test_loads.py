"""Before a load and by *Test connection*: can sysbench log in so that only the right server reads the password?"""

import ssl

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.certificate import certificate
from workers.errors import PlanError
from workers.servers import loads
from workers.servers.target import Target


def shown(folder, **signed):
    text = certificate(folder, **signed).read_text()
    return ssl.PEM_cert_to_DER_cert(text[text.index("-----BEGIN CERT") :])


def at(tls, **known):
    return Target("x", "attached", "u", "p", host="db.example", tls=tls, **known)


@pytest.fixture(autouse=True)
def with_mariadbs_library(monkeypatch):
    monkeypatch.setattr(loads, "is_mariadbs", lambda: True)


def test_a_self_signed_certificate_is_its_own_authority(tmp_path):
    loads.check(at("required"), shown(tmp_path))


@pytest.mark.parametrize("kind", ["names alone", "no certificate"])
def test_a_certificate_that_its_own_key_did_not_sign_needs_its_authority(kind, tmp_path):
    other = ec.generate_private_key(ec.SECP256R1())
    der = shown(tmp_path, signer=other) if kind == "names alone" else b"no certificate"
    with pytest.raises(PlanError, match="no load was started") as refused:
        loads.check(at("required"), der)
    assert "tls_ca" in refused.value.fix
    loads.check(at("required", tls_ca="/ca.pem"), der)


def test_the_authorities_of_the_system_are_not_known_to_sysbench():
    with pytest.raises(PlanError, match="authorities of the system"):
        loads.check(at("verify"))
    loads.check(at("verify", tls_ca="/ca.pem"))


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (at("preferred", certificate_pin="AA"), "not encrypted"),
        (at("required", tls_ca="/ca.pem"), "nobody has confirmed"),
    ],
    ids=["plain", "not confirmed"],
)
def test_a_way_that_would_show_the_password_is_refused_with_what_to_do(target, words):
    loads.check(target, plugin="mysql_native_password")
    with pytest.raises(PlanError, match=words) as refused:
        loads.check(target, plugin="caching_sha2_password")
    assert "mysql_native_password" in refused.value.fix and "socket" in refused.value.fix


def test_through_a_socket_file_every_way_is_safe():
    loads.check(Target("x", "attached", "u", "p", socket="/run/x"), plugin="dialog")
