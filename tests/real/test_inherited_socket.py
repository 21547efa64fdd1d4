"""The web server that inherits its socket knows who asks: otherwise anybody here could pass for a trusted proxy."""

import json
import subprocess
import sys
import urllib.request

import pytest

from dashboard.installation.home import PROJECT
from dashboard.local import ports


async def tells_who_asks(scope, receive, send):
    """An application for uvicorn."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(scope["client"]).encode()})


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_the_address_of_whoever_asks_is_known(loop):
    argv = [
        sys.executable,
        "-m",
        "uvicorn",
        "tests.real.test_inherited_socket:tells_who_asks",
        "--loop",
        loop,
        "--no-proxy-headers",
    ]
    with ports.listener("127.0.0.1", None) as listening:
        here = listening.fileno()
        with subprocess.Popen([*argv, "--fd", str(here)], cwd=PROJECT, pass_fds=[here]) as process:
            try:
                told = urllib.request.urlopen(f"http://127.0.0.1:{ports.port_of(listening)}/", timeout=60).read()
            finally:
                process.terminate()
    assert json.loads(told)[0] == "127.0.0.1"
