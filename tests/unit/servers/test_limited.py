"""The bytes of an answer are counted, and a certificate is told only where there is one."""

import io
import ssl
from types import SimpleNamespace

import pytest

from workers.servers.limited import Broken, Connection


class Encrypted(ssl.SSLSocket):
    def __init__(self):
        """Without a connection below."""

    def getpeercert(self, binary_form=False):
        return b"certificate"


def connection(answer=b""):
    made = Connection(defer_connect=True)
    made._rfile, made._read_timeout = io.BufferedReader(io.BytesIO(answer)), 1.0
    made._sock = SimpleNamespace(settimeout=lambda seconds: None, close=lambda: None)
    return made


def test_a_connection_that_verifies_nothing_reads_no_authority(monkeypatch):
    given = ssl.create_default_context()
    read = []
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda *_: read.append("authorities"))
    assert connection().ctx.verify_mode == ssl.CERT_NONE and read == []
    assert Connection(defer_connect=True, ssl=given).ctx is given and given.verify_mode == ssl.CERT_REQUIRED
    ssl.create_default_context()
    assert read == ["authorities"]


def test_an_answer_with_more_bytes_than_asked_for_is_given_up():
    one = connection(b"abcdef")
    one.limit(10, most_bytes=5)
    assert one.arrived(3) == b"abc"
    with pytest.raises(Broken, match="sent more than was asked for") as broken:
        one.arrived(3)
    assert broken.value.why == "sent more than was asked for"


def test_a_server_that_hangs_up_ends_the_answer():
    one = connection(b"abc")
    one.limit(10, most_bytes=99)
    assert one.arrived(3) == b"abc"
    with pytest.raises(Broken, match="hung up"):
        one.arrived(3)


def test_as_many_bytes_as_asked_for_may_come():
    one = connection(b"abcdef")
    one.limit(10, most_bytes=6)
    assert one.arrived(3) + one.arrived(3) == b"abcdef"
    packet = connection(b"abcdef")
    packet.limit(10, most_bytes=6)
    assert packet._read_bytes(6) == b"abcdef"


def test_without_a_limit_no_answer_is_read():
    with pytest.raises(RuntimeError):
        connection(b"abc").arrived(3)


def test_only_an_encrypted_connection_has_a_certificate():
    one = connection()
    assert one.certificate() == b""
    one._sock = Encrypted()
    assert one.certificate() == b"certificate"
