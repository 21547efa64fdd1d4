"""Something in a server's place asks sysbench for the password in clear text."""

import socket

import pytest

from tests.unit.servers.impostor import PASSWORD, Impostor, socket_file, target
from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.errors import DurascopeError
from workers.servers.clear_text import PLUGINS


def call(of):
    """sysbench calls the impostor, which hangs up on it."""
    request = LoadRequest(of, "durascope_x", "update-by-key", {}, "innodb", 10, 1, 1, 7)
    with pytest.raises(DurascopeError):
        sysbench.prepare(request, lambda: False)


@pytest.mark.parametrize("tls", ["off", "preferred"])
@pytest.mark.parametrize("plugin", PLUGINS)
def test_sysbench_does_not_send_it(plugin, tls):
    listening = socket.create_server(("127.0.0.1", 0))
    impostor = Impostor(listening, plugin)
    call(target(listening, tls=tls))
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard


@pytest.mark.parametrize("plugin", PLUGINS)
def test_sysbench_would_send_it(plugin, tmp_path):
    """The control: through a socket file, whose owner answers there, it does."""
    listening = socket_file(tmp_path)
    impostor = Impostor(listening, plugin)
    call(target(listening))
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()
