"""Fourteen faults in a running installation: it recovers from each, and every check of that can fail."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from dashboard.installation.home import PROJECT
from tests.bench.chaos.target import TargetServer
from workers.errors import AccessDenied
from workers.servers import keys
from workers.servers.connection import connect


def test_fourteen_faults_break_nothing():
    argv = [sys.executable, "-m", "tests.bench.chaos", "--faults", "14", "--short"]
    argv += ["--postgresql"] if os.environ.get("DATABASE_URL") else []
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True)
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["broken"] == [], done.stderr
    assert told["controls_unseen"] == [], done.stderr
    assert (told["faults"], done.returncode) == (14, 0), done.stderr


def test_a_password_sent_to_a_server_with_another_certificate_is_counted(sandbox_root):
    """Both controls of the fault `certificate changed`: whoever confirmed the certificate sends none."""
    server = TargetServer(sandbox_root)
    try:
        anybody = replace(server.address, kind="attached", tls="required")
        pinned = replace(anybody, certificate_pin=keys.seen(anybody).certificate)
        with server.another_certificate(), server.another_password():
            sent = [refused(server, target) for target in (pinned, anybody)]
        connect(pinned).close()
    finally:
        server.remove()
    assert sent == [0, 1]


def refused(server, target):
    before = server.logins_refused()
    with pytest.raises(AccessDenied):
        connect(target)
    return server.logins_refused() - before
