"""Options of deploy/install.sh that are given later, and a host with only a worker: applied or refused."""

import os
import subprocess

import pytest

from dashboard.local import redis
from dashboard.local.processes import Child, Program
from tests.real.fake_host import FakeHost, database_of_somebody_else, folder_of_hosts

pytestmark = [
    pytest.mark.skipif("DOORS" not in os.environ, reason="takes minutes: scripts/test doors"),
    pytest.mark.timeout(600),
]
ACCOUNTS = """
from django.contrib.auth.models import User
print(sorted(User.objects.values_list("username", flat=True)))
"""


@pytest.fixture(scope="module")
def folder():
    with folder_of_hosts() as made:
        yield made


@pytest.fixture(scope="module")
def database():
    with database_of_somebody_else() as address:
        yield address


@pytest.fixture(scope="module")
def queue(folder):
    """The address of a Redis that every user reaches."""
    socket = folder / "redis.sock"
    options = [
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--unixsocketperm",
        "777",
        "--save",
        "",
        "--dir",
        str(folder),
    ]
    argv = [str(redis.binary(folder)), *options]
    child = Child(Program("redis", argv, folder, folder / "redis.log", ready=lambda pid: redis.answers(socket, pid)))
    child.wait_until_ready()
    yield f"unix://{socket}"
    child.stop()


@pytest.fixture(scope="module")
def host(folder, database, queue):
    """With a web server, nginx, and a PostgreSQL and Redis of somebody else."""
    made = FakeHost(folder / "web")
    given = made.environment(DATABASE_URL=database, DURASCOPE_REDIS=queue)
    status, said = made.install(made.tree("tree"), "--name", "later.test", "--environment", given)
    assert status == 0 and "is an administrator" in said, said
    return made


def later(host, *options):
    return host.install(host.folder / "tree", *options)


def certificate(folder, name):
    files = [folder / f"{name}.pem", folder / f"{name}.key"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=later.test", "-out", files[0],
         "-keyout", files[1]], check=True, capture_output=True,
    )  # fmt: skip
    return files


def site(host):
    return (host.folder / "etc/nginx/sites-available/durascope").read_text()


def test_a_postgresql_and_a_redis_of_somebody_else_are_used_and_not_made(host, database, queue):
    env = (host.folder / "etc/durascope/durascope.env").read_text()
    assert f"DATABASE_URL={database}\n" in env and f"DURASCOPE_REDIS={queue}\n" in env
    assert env.count("DATABASE_URL") == env.count("DURASCOPE_REDIS") == 1
    made = (host.folder / "etc/durascope/made").read_text()
    assert "role" not in made and "redis.conf" not in made and "durascope-redis.service" not in host.running()


def test_a_certificate_that_is_given_later_is_used(host, folder):
    first, key = certificate(folder, "first")
    other = certificate(folder, "other")[1]
    before = site(host)
    status, said = later(host, "--certificate", first, "--key", other)
    assert status == 2 and "is not that of the certificate" in said and site(host) == before
    host.calls()
    status, said = later(host, "--certificate", first, "--key", key)
    assert status == 0 and f"ssl_certificate     {first};" in site(host) and f"ssl_certificate_key {key};" in site(host)
    assert "reload nginx" in " ".join(host.calls())
    assert later(host, "--certificate", first, "--key", key)[1].startswith("Nothing had to be changed.")


def test_an_administrator_that_is_given_later_is_made(host):
    status, said = later(host, "--admin", "maria")
    assert status == 0 and "maria: is an administrator" in said, said
    assert host.run("durascope", "shell", "-v", "0", "-c", ACCOUNTS)[1] == "['admin', 'maria']\n"
    assert later(host, "--admin", "maria")[1].startswith("Nothing had to be changed.")


def test_a_proxy_that_is_given_later_is_used_and_remembered(host, folder):
    status, said = later(host, "--proxy", "none")
    assert status == 0 and not (host.folder / "etc/nginx/sites-available/durascope").exists(), said
    assert later(host)[1].startswith("Nothing had to be changed."), "nginx is not added without being asked"
    status, said = later(host, "--certificate", *certificate(folder, "third")[:1], "--key", folder / "third.key")
    assert status == 2 and "a proxy of your own" in said
    assert later(host, "--proxy", "nginx")[0] == 0 and "later.test" in site(host)


def test_another_worker_or_none_replaces_the_present_one(host):
    assert "durascope-worker@local.service" in host.running()
    assert later(host, "--site", "west")[0] == 0
    assert {unit for unit in host.running() if "worker" in unit} == {"durascope-worker@west.service"}
    assert later(host, "--worker", "none")[0] == 0 and not [unit for unit in host.running() if "worker" in unit]
    assert later(host)[1].startswith("Nothing had to be changed.")


def test_an_environment_that_differs_later_is_refused(host):
    status, said = later(host, "--environment", host.environment(DURASCOPE_REDIS="unix:///elsewhere"))
    assert status == 2 and "another DURASCOPE_REDIS" in said


def test_a_host_with_only_a_worker(host, folder, database, queue):
    env = dict(line.split("=", 1) for line in (host.folder / "etc/durascope/durascope.env").read_text().splitlines()
               if line.startswith(("DATABASE_URL", "DURASCOPE_REDIS", "DURASCOPE_PASSWORD_KEYS")))  # fmt: skip
    worker = FakeHost(folder / "worker")
    tree = worker.tree("tree")
    only = ("--only-worker", "--site", "west")
    status, said = worker.install(tree, *only)
    assert status == 2 and "needs --environment FILE with DATABASE_URL DURASCOPE_REDIS DURASCOPE_PASSWORD_KEYS" in said
    status, said = worker.install(tree, *only, "--admin", "maria")
    assert status == 2 and "no name, proxy, certificate or administrator" in said
    status, said = worker.install(tree, *only, "--environment", worker.environment(**env))
    assert status == 0 and worker.running() == {"durascope-worker@west.service"}, said
    assert worker.install(tree)[1].startswith("Nothing had to be changed.")


def test_a_worker_that_cannot_join_is_not_started(folder, database, host):
    worker = FakeHost(folder / "lost")
    env = {"DATABASE_URL": database, "DURASCOPE_REDIS": "unix:///nowhere", "DURASCOPE_PASSWORD_KEYS": "A" * 43 + "="}
    status, said = worker.install(worker.tree("tree"), "--only-worker", "--environment", worker.environment(**env))
    assert status == 2 and "The worker cannot join:" in said and "Redis: " in said and not worker.running(), said
