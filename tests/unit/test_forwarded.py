"""Whose word is believed about who asks: of the unix socket, and of proxies that are named; of nobody else."""

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from asgiref.sync import async_to_sync

from dashboard.environment import proxies
from dashboard.local.programs import web
from dashboard.pages.forwarded import Forwarded

FORGED = [(b"x-forwarded-for", b"203.0.113.9"), (b"x-forwarded-proto", b"https")]


def seen(client, headers, *believed):
    """(address, scheme) as the application sees them."""
    reached = []

    async def application(scope, receive, send):
        reached.append((scope["client"][0] if scope["client"] else None, scope["scheme"]))

    scope = {"type": "http", "client": client, "scheme": "http", "headers": headers}
    with ThreadPoolExecutor(1) as thread:  # a test in a browser has left a running event loop in this one
        thread.submit(async_to_sync(Forwarded(application, believed)), scope, None, None).result()
    return reached[0]


def test_the_socket_is_believed():
    assert seen(None, FORGED) == ("203.0.113.9", "https")
    assert seen(("", 0), FORGED) == ("203.0.113.9", "https")


def test_a_program_of_this_host_that_asks_a_port_is_not():
    assert seen(("127.0.0.1", 5), FORGED) == ("127.0.0.1", "http")
    assert seen(("::1", 5), FORGED, "10.0.0.0/8") == ("::1", "http")


def test_a_proxy_that_is_named_is_believed():
    assert seen(("10.0.0.7", 5), FORGED, "10.0.0.0/8") == ("203.0.113.9", "https")
    assert seen(("11.0.0.7", 5), FORGED, "10.0.0.0/8") == ("11.0.0.7", "http")


def test_the_last_address_of_the_header_counts():
    """A proxy that adds to the header instead of setting it: the last word is the proxy's."""
    added = [(b"x-forwarded-for", b"203.0.113.1, 198.51.100.4")]
    assert seen(None, added) == ("198.51.100.4", "http")
    twice = [(b"x-forwarded-for", b"203.0.113.1"), (b"x-forwarded-for", b"198.51.100.4")]
    assert seen(None, twice)[0] == "198.51.100.4"


def test_a_proxy_that_says_nothing_leaves_nobody():
    assert seen(None, []) == (None, "http")
    assert seen(None, [(b"x-forwarded-for", b"unix")]) == (None, "http")


def test_proxies_are_addresses():
    assert proxies({}) == () and proxies({"DURASCOPE_PROXIES": "10.0.0.1, fd00::/8"}) == ("10.0.0.1", "fd00::/8")
    for wrong in ("*", "localhost", "10.0.0.1/8"):
        with pytest.raises(ValueError, match="is no address"):
            proxies({"DURASCOPE_PROXIES": wrong})


def test_uvicorn_itself_believes_nobody(tmp_path):
    """Its default is to believe whoever asks from 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert "--no-proxy-headers" in web(tmp_path, "127.0.0.1", listening).argv
