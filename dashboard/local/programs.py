"""The programs of the stack beside Redis: worker, beat and web server."""

import http.client
import secrets
import socket
import sys
from pathlib import Path

from dashboard.installation.home import PROJECT
from dashboard.local.ports import local, port_of
from dashboard.local.processes import Program
from dashboard.records.fleet import task_queue

INSTANCE = "X-Durascope-Instance"  # a random name at each start, by which `up` recognizes its web server
WORKER_LIMIT_S = 20  # to cancel a cell and restore its server; else the next worker restores it


def worker(home: Path) -> Program:
    return Program(
        name="worker",
        argv=[sys.executable, "manage.py", "worker"],
        cwd=PROJECT,
        log=home / "logs" / "worker.log",
        ready=task_queue.worker_answers,
        stop_limit_s=WORKER_LIMIT_S,
    )


def beat(home: Path) -> Program:
    options = ["--pidfile=", "-l", "info"]  # no pid file: the claim of the home allows one beat
    return Program(
        name="beat",
        argv=[sys.executable, "-m", "celery", "-A", "workers.celery", "beat", *options],
        cwd=PROJECT,
        log=home / "logs" / "beat.log",
    )


def web(home: Path, host: str, listening: socket.socket) -> Program:
    """Serves the socket of this process. No access log, because the address of a share link contains its token. No
    proxy headers: see dashboard.pages.forwarded."""
    descriptor, instance = listening.fileno(), secrets.token_hex(8)
    options = ["--fd", str(descriptor), "--no-access-log", "--no-proxy-headers", "--timeout-graceful-shutdown", "2"]
    options += ["--header", f"{INSTANCE}:{instance}"]
    return Program(
        name="web",
        argv=[sys.executable, "-m", "uvicorn", "dashboard.asgi:application", *options],
        cwd=PROJECT,
        log=home / "logs" / "web.log",
        inherits=[descriptor],
        ready=lambda pid: web_answers(host, port_of(listening), instance),
    )


def web_answers(host: str, port: int, instance: str) -> bool:
    """Whether our own web server answers there and reaches its database. A refused host name is an answer too."""
    connection = http.client.HTTPConnection(local(host), port, timeout=5)
    try:
        connection.request("GET", "/health/database", headers={"Host": "localhost"})
        response = connection.getresponse()
        return response.status < 500 and response.headers[INSTANCE] == instance
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
