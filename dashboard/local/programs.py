"""What the stack is made of beside Redis: the worker that measures, beat, and the web server."""

import http.client
import sys
from pathlib import Path

from kombu.exceptions import OperationalError
from redis import RedisError

from dashboard.home import PROJECT
from dashboard.local.ports import local
from dashboard.local.processes import Program

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


def web(home: Path, host: str, port: int) -> Program:
    """No access log: the address of a share link holds its token. No proxy headers: see dashboard.forwarded."""
    options = ["--host", host, "--port", str(port), "--no-access-log", "--no-proxy-headers"]
    options += ["--timeout-graceful-shutdown", "2"]
    return Program(
        name="web",
        argv=[sys.executable, "-m", "uvicorn", "dashboard.asgi:application", *options],
        cwd=PROJECT,
        log=home / "logs" / "web.log",
        ready=lambda: web_answers(host, port),
    )


def worker_answers() -> bool:
    from workers.celery import app  # reads Django's settings

    try:  # a connection of its own: one kept from before a restart of Redis would be broken
        with app.connection_for_write() as fresh:
            return bool(app.control.ping(timeout=0.3, connection=fresh))
    except (OperationalError, RedisError, OSError):
        return False


def web_answers(host: str, port: int) -> bool:
    """A page comes back, be it the login's redirect; an internal error does not count."""
    connection = http.client.HTTPConnection(local(host), port, timeout=5)
    try:
        connection.request("GET", "/", headers={"Host": "localhost"})
        return connection.getresponse().status < 500
    except OSError:
        return False
    finally:
        connection.close()
