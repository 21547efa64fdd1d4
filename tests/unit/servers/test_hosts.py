import socket

import pytest

from workers.servers import hosts


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "::ffff:127.0.0.1", "0.0.0.0"])
def test_this_machine_is_known_by_all_its_names(name):
    assert hosts.is_local(name)


def test_this_machine_is_known_by_its_own_address(monkeypatch):
    own = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.9", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: own)
    assert hosts.is_local("db.example.org")


@pytest.mark.parametrize("name", ["192.0.2.7", "2001:db8::7", "no-such-host.invalid", "x" * 300])
def test_another_machine_is_not_local(name):
    assert not hosts.is_local(name)


def test_a_name_and_its_address_share_a_host(monkeypatch):
    both = [(2, 1, 6, "", ("192.0.2.7", 0)), (10, 1, 6, "", ("2001:db8::7", 0, 0, 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    assert hosts.addresses("db.example.org") == {"192.0.2.7", "2001:db8::7"}


def test_an_unknown_name_stands_for_itself():
    assert hosts.addresses("No-Such-Host.invalid") == {"no-such-host.invalid"}


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("localhost", True), ("LocalHost.", True), ("127.0.0.2", True), ("::1", True),
        ("127.1", True), ("0.0.0.0", True), ("::", True), ("::ffff:127.0.0.1", True), ("2130706433", True),
        ("192.0.2.7", False), ("db.example.org", False), ("127.example.org", False), ("2001:db8::7", False),
    ],
)  # fmt: skip
def test_an_address_that_means_every_machine_is_known_without_a_look_up(name, here, monkeypatch):
    monkeypatch.delattr(socket, "getaddrinfo")
    assert hosts.says_here(name) == here


def test_the_addresses_for_other_hosts_are_those_that_packets_come_from(monkeypatch):
    """Without IPv6 only that of IPv4."""

    class Probe:
        def __init__(self, family, kind):
            self._family = family

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def connect(self, place):
            if self._family == socket.AF_INET6:
                raise OSError("no such network")

        def getsockname(self):
            return "192.0.2.50", 40_000

    monkeypatch.setattr(socket, "socket", Probe)
    assert hosts.own() == {"192.0.2.50"}
