"""Where the web server listens."""

import argparse
import socket

import pytest

from dashboard.local import ports
from dashboard.local.arguments import port_number
from dashboard.local.errors import LocalError


@pytest.fixture
def taken():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_the_next_free_port_is_taken(monkeypatch, taken):
    monkeypatch.setattr(ports, "FIRST_PORT", taken)
    monkeypatch.setattr(ports, "LAST_PORT", taken + 20)
    with ports.listener("127.0.0.1", None) as found:
        assert taken < ports.port_of(found) <= taken + 20


def test_two_installations_that_start_together_get_two_ports():
    with ports.listener("127.0.0.1", None) as one, ports.listener("127.0.0.1", None) as other:
        assert ports.port_of(one) != ports.port_of(other)
        with pytest.raises(LocalError, match="Address already in use"):
            ports.listener("127.0.0.1", ports.port_of(one))


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_small_answers_are_sent_at_once(host):
    try:
        listening = ports.listener(host, None)
    except LocalError as missing:
        pytest.skip(str(missing))
    with listening, socket.create_connection((host, ports.port_of(listening))):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_wanted_port_that_is_in_use_is_refused(taken):
    with pytest.raises(LocalError, match=f"Port {taken} on 127.0.0.1 cannot be used: Address already in use"):
        ports.listener("127.0.0.1", taken)


def test_the_address_of_another_host_is_refused():
    with pytest.raises(LocalError, match="cannot be used"):
        ports.listener("192.0.2.1", 8000)


def test_the_printed_address_can_be_opened_in_a_browser_here():
    assert ports.address("127.0.0.1", 8000) == "http://127.0.0.1:8000"
    assert ports.address("0.0.0.0", 8000) == "http://127.0.0.1:8000"
    assert ports.address("::", 8000) == "http://[::1]:8000"


@pytest.mark.parametrize("text", ["0", "65536", "-1", "http", "", "1.5", "٣x"])
def test_a_text_that_is_no_port_number_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="1 to 65535"):
        port_number(text)


def test_a_port_number_is_read():
    assert port_number("8080") == 8080
