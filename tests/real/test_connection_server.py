"""Connecting to a real server: what works, what is refused, what TLS modes really do."""

import socket
import subprocess
from dataclasses import replace

import pytest

from workers.errors import AccessDenied, MissingPrivilege, PlanError, Unreachable
from workers.servers import ask
from workers.servers.connection import cipher, connect


@pytest.fixture
def tcp(sandbox):
    return replace(sandbox.target, socket="")


@pytest.fixture(scope="module")
def authority(sandbox_root):
    """A self-signed certificate for localhost and 127.0.0.1, which is its own authority."""
    key, certificate = sandbox_root / "tls-key.pem", sandbox_root / "tls-cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    key.chmod(0o644)
    return key, certificate


@pytest.fixture(scope="module")
def encrypted(make_sandbox, authority):
    """A server that offers TLS."""
    key, certificate = authority
    settings = {"ssl": "ON", "ssl_key": str(key), "ssl_cert": str(certificate), "ssl_ca": str(certificate)}
    return replace(make_sandbox(settings, name="tls", reads=authority).target, socket="")


@pytest.mark.parametrize("way", ["socket", "tcp"])
def test_a_connection_opens_by_socket_and_by_tcp(sandbox, tcp, way):
    with connect(sandbox.target if way == "socket" else tcp) as connection:
        assert ask.value(connection, "SELECT @@autocommit") == 1
        assert ask.value(connection, "SELECT @@character_set_client") == "utf8mb4"
        assert cipher(connection) == ""


@pytest.mark.parametrize("mode", ["preferred", "required"])
def test_a_connection_is_encrypted_if_the_server_offers_tls(encrypted, mode):
    with connect(replace(encrypted, tls=mode)) as connection:
        assert cipher(connection)


def test_a_connection_is_not_encrypted_in_tls_mode_off(encrypted):
    with connect(replace(encrypted, tls="off")) as connection:
        assert cipher(connection) == ""


def test_the_certificate_is_verified(encrypted, authority):
    with connect(replace(encrypted, host="localhost", tls="verify", tls_ca=str(authority[1]))) as connection:
        assert cipher(connection)


def test_a_certificate_of_another_name_is_refused(encrypted, authority):
    with pytest.raises(Unreachable, match="certificate"):
        connect(replace(encrypted, tls="verify", tls_ca=str(authority[1])))


def test_a_certificate_of_an_unknown_authority_is_refused(encrypted):
    with pytest.raises(Unreachable, match="certificate"):
        connect(replace(encrypted, host="localhost", tls="verify"))


@pytest.mark.parametrize("mode", ["required", "verify"])
def test_a_server_without_tls_is_refused(tcp, mode):
    with pytest.raises(Unreachable, match="TLS"):
        connect(replace(tcp, tls=mode))


def test_preferred_tls_falls_back_to_a_plain_connection(tcp):
    with connect(replace(tcp, tls="preferred")) as connection:
        assert cipher(connection) == ""


def test_a_missing_authority_file_is_refused(tcp):
    with pytest.raises(PlanError, match="authority file"):
        connect(replace(tcp, tls="verify", tls_ca="/nowhere/ca.pem"))


def test_a_wrong_password_is_reported_and_not_shown(tcp):
    with pytest.raises(AccessDenied) as refused:
        connect(replace(tcp, password="not the secret"))
    assert "not the secret" not in str(refused.value)


def test_a_password_beyond_latin_is_accepted(sandbox):
    with connect(sandbox.target) as connection:
        ask.rows(connection, "CREATE USER 'odd'@'localhost' IDENTIFIED BY %s", ("pässwörd ☂ '\"\\",))
        try:
            connect(replace(sandbox.target, user="odd", password="pässwörd ☂ '\"\\")).close()
        finally:
            ask.rows(connection, "DROP USER 'odd'@'localhost'")


def test_a_port_where_nothing_listens_is_reported(tcp):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: refused
        nobody = replace(tcp, port=taken.getsockname()[1])
        with pytest.raises(Unreachable, match="Nothing listens"):
            connect(replace(nobody, kind="attached"))
        with pytest.raises(Unreachable, match="The server of the sandbox shared does not answer"):
            connect(nobody)


def test_a_silent_server_is_given_up_after_the_timeout(tcp):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(Unreachable):
            connect(replace(tcp, port=silent.getsockname()[1]), timeout_s=0.2)


def test_a_missing_socket_file_is_reported(sandbox):
    with pytest.raises(Unreachable, match="no socket file"):
        connect(replace(sandbox.target, socket="/nowhere/sock", kind="attached"))


def test_a_lost_connection_is_called_lost(sandbox):
    with connect(sandbox.target) as one, connect(sandbox.target) as other:
        ask.rows(one, f"KILL {other.thread_id()}")
        with pytest.raises(Unreachable, match="lost"):
            ask.value(other, "SELECT 1")


def test_a_refused_privilege_is_answered_with_its_grant(sandbox):
    with connect(sandbox.target) as connection:
        ask.rows(connection, "CREATE USER 'poor'@'localhost' IDENTIFIED BY 'x'")
        try:
            with (
                connect(replace(sandbox.target, user="poor", password="x")) as poor,
                pytest.raises(MissingPrivilege) as refused,
            ):
                ask.rows(poor, "SET GLOBAL sync_binlog = 1")
            assert refused.value.fix == "GRANT BINLOG ADMIN ON *.* TO 'poor'@'localhost';"
        finally:
            ask.rows(connection, "DROP USER 'poor'@'localhost'")
