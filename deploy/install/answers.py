"""Waits until the web server and, if this host has one, the worker answer. Exit status 1: not within a minute."""

import json
import socket
import sys
import time

SOCKET = "/run/durascope/web.sock"
NEEDED = {"database", "redis", "threads"} | ({"worker"} if sys.argv[1] != "none" else set())
ASK = b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n"


def failing() -> str:
    try:
        with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as answer:
            connection.settimeout(30)
            connection.connect(SOCKET)
            connection.sendall(ASK)
            checks = json.loads(answer.read().partition(b"\r\n\r\n")[2])["checks"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        return f"The web server does not answer on {SOCKET}: {problem}"
    bad = [f"{check}: {says}" for check, says in checks.items() if check in NEEDED and says != "ok"]
    return f"/health says {', '.join(bad)}" if bad else ""


until = time.monotonic() + 60
while (why := failing()) and time.monotonic() < until:
    time.sleep(0.5)
if why:
    sys.exit(why)
