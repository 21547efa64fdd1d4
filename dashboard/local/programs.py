"""What the stack is made of beside Redis: the worker that measures, beat, and the web server."""

import http.client
import secrets
import socket
import sys
from pathlib import Path

from dashboard.installation.home import PROJECT
from dashboard.local.ports import local, port_of
from dashboard.local.processes import Program

INSTANCE = "X-Durascope-Instance"  # a random name, new at each start: `up` knows its own web server by it
WORKER_LIMIT_S = 20  # a cell is cancelled and its server put back; what is cut short is paid by the next worker


def worker(home: Path) -> Program:
    return Program(
        name="worker",
        argv=[sys.executable, "manage.py", "worker"],
        cwd=PROJECT,
        log=home / "logs" / "worker.log",
        ready=worker_answers,
        stop_limit_s=WORKER_LIMIT_S,
    )


def beat(home: Path) -> Program:
    options = ["--pidfile=", "-l", "info"]  # one per home by the claim: no pid file beside the code
    return Program(
        name="beat",
        argv=[sys.executable, "-m", "celery", "-A", "workers.celery", "beat", *options],
        cwd=PROJECT,
        log=home / "logs" / "beat.log",
    )


def web(home: Path, host: str, listening: socket.socket) -> Program:
    """Serves the socket that this process holds. No access log: the address of a share link holds its token. No proxy
    headers: see dashboard.pages.forwarded."""
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


def worker_answers(pid: int) -> bool:
    from dashboard.records.fleet import task_queue  # reads Django's settings

    return task_queue.worker_answers(pid)


def web_answers(host: str, port: int, instance: str) -> bool:
    """Whether our own web server answers there, and reaches its database. Its host name may be refused: it answers."""
    connection = http.client.HTTPConnection(local(host), port, timeout=5)
    try:
        connection.request("GET", "/health/database", headers={"Host": "localhost"})
        response = connection.getresponse()
        return response.status < 500 and response.headers[INSTANCE] == instance
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
