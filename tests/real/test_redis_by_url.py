"""DURASCOPE_REDIS names a Redis elsewhere: with a password, a database number, and TLS."""

import shutil
import socket
import subprocess

import pytest
import redis as client
from celery import Celery

from dashboard.local import redis
from dashboard.local.processes import Child, Program
from dashboard.pages.monitoring import health
from dashboard.records.experiments import live
from dashboard.records.fleet import task_queue
from workers.celery import app
from workers.upkeep import start_check

pytestmark = pytest.mark.django_db  # a message asks where its row is
PASSWORD = "p@ss/w:rd #1"
ENCODED = "p%40ss%2Fw%3Ard%20%231"


@pytest.fixture
def start(tmp_path):
    """Starts a Redis on a TCP port with more options; gives the port."""
    children = []

    def run(*options: str, kind: str = "--port") -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        fixed = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(tmp_path)]
        argv = [str(redis.binary(tmp_path)), *fixed, "--requirepass", PASSWORD, kind, str(port), *options]
        child = Child(Program("redis", argv, cwd=tmp_path, log=tmp_path / "redis.log", ready=lambda pid: _open(port)))
        children.append(child)
        child.wait_until_ready()
        return port

    yield run
    for child in children:
        child.stop()


def _open(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def use(settings, monkeypatch):
    """Says where Redis is, to the live pictures and to the message queue."""
    options = {name: app.conf[name] for name in ("broker_transport_options", "task_serializer")}  # read once, before

    def say(url: str) -> None:
        settings.REDIS_URL = url
        live._redis.cache_clear()
        elsewhere = Celery("elsewhere", broker=url, set_as_current=False)  # the product's own stays where it was
        elsewhere.conf.update(options)
        monkeypatch.setattr(task_queue, "app", elsewhere)

    yield say
    live._redis.cache_clear()


def both_work(url: str, **how) -> None:
    """A live picture and a message come through, in the database that the address names."""
    live.LiveWriter(1, "mark").tell((1, 2, 3), warming=True)
    assert live.latest(1).seconds == ((1, 2, 3),) and live.problem() == ("", "")
    task_queue.send(task_queue.EXPERIMENT, 1, "here")
    with client.Redis.from_url(url, **how) as there:
        assert there.connection_pool.connection_kwargs["db"] == 3
        assert [key for key in there.scan_iter() if there.type(key) == b"list" and there.llen(key) == 1]
        assert there.exists("durascope:live:1")


def test_a_password_and_a_database_number(start, use):
    url = f"redis://:{ENCODED}@127.0.0.1:{start()}/3"
    use(url)
    both_work(url)


def test_a_wrong_password_is_silence_not_an_error(start, use):
    use(f"redis://:wrong@127.0.0.1:{start()}/3")
    live.LiveWriter(1, "mark")
    assert live.latest(1) == live.NO_SECONDS and live.problem()[0] == "refuses its account"
    with pytest.raises(task_queue.QueueDown, match="refuses its account") as told:
        task_queue.send(task_queue.EXPERIMENT, 1, "here")
    assert "wrong" not in str(told.value)


@pytest.fixture
def certificate(tmp_path):
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "ca.pem")]
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files]
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    subprocess.run(argv, check=True, capture_output=True)
    return tmp_path / "ca.pem", tmp_path / "key.pem"


def test_tls_with_a_certificate_that_is_checked(start, use, certificate):
    ca, key = certificate
    options = ["--port", "0", "--tls-cert-file", str(ca), "--tls-key-file", str(key), "--tls-ca-cert-file", str(ca)]
    port = start(*options, "--tls-auth-clients", "no", kind="--tls-port")
    url = f"rediss://:{ENCODED}@127.0.0.1:{port}/3?ssl_cert_reqs=required&ssl_ca_certs={ca}"
    use(url)
    both_work(url)
    use(f"rediss://:{ENCODED}@127.0.0.1:{port}/3?ssl_cert_reqs=required")
    assert live.problem()[0] == "does not answer", "nobody vouches for this certificate"


FULL, REPLICA = "is full", "is a read-only replica"
REFUSING = {
    FULL: ["CONFIG", "SET", "maxmemory", "1"],
    REPLICA: ["REPLICAOF", "127.0.0.1", "1"],
    "gives its account too few rights": ["ACL", "SETUSER", "default", "resetchannels"],
}


@pytest.mark.parametrize(("why", "command"), REFUSING.items(), ids=REFUSING)
def test_a_redis_that_answers_and_takes_no_task_is_named(start, use, settings, why, command):
    url = f"redis://:{ENCODED}@127.0.0.1:{start()}/3"
    use(url)
    assert health.says("redis") == "ok" and start_check.check_redis() is None
    with client.Redis.from_url(url) as there:
        there.execute_command(*command)
        assert there.ping(), "what was asked before"
    assert health.says("redis") == "missing" and live.problem()[0] == why
    with pytest.raises(start_check.CannotJoin, match=why):
        start_check.check_redis()
    if why in (FULL, REPLICA):  # a task itself needs no channel
        with pytest.raises(task_queue.QueueDown, match=f"{why}.*runs by itself once Redis takes tasks"):
            task_queue.send(task_queue.EXPERIMENT, 1, "here")
