"""Something in a server's place asks sysbench for the password in clear text."""

import socket

import pytest

from tests.unit.servers.impostor import PASSWORD, Impostor, target
from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.errors import DurascopeError
from workers.servers.clear_text import PLUGINS
from workers.servers.target import Target


def asked(of):
    """What the impostor hears of sysbench."""
    request = LoadRequest(of, "durascope_x", "update-by-key", {}, "innodb", 10, 1, 1, 7)
    with pytest.raises(DurascopeError):
        sysbench.prepare(request, lambda: False)


@pytest.mark.parametrize("tls", ["off", "preferred"])
@pytest.mark.parametrize("plugin", PLUGINS)
def test_sysbench_does_not_send_it(plugin, tls):
    listening = socket.create_server(("127.0.0.1", 0))
    impostor = Impostor(listening, plugin)
    asked(target(listening, tls=tls))
    heard = impostor.all_that_it_heard()
    assert heard and PASSWORD not in heard


@pytest.mark.parametrize("plugin", PLUGINS)
def test_sysbench_would_send_it(plugin, tmp_path):
    """The control: through a socket file, whose owner answers there, it does."""
    path = str(tmp_path / "x.sock")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    impostor = Impostor(listening, plugin)
    asked(Target("x", "attached", "u", PASSWORD.decode(), socket=path))
    assert PASSWORD + b"\0" in impostor.all_that_it_heard()
