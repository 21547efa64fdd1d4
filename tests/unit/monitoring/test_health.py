"""/health: says yes and no, to anybody, and nothing else."""

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from dashboard.pages.monitoring import health
from dashboard.records.audit.models import Event
from dashboard.records.fleet.installation import release
from dashboard.records.fleet.models import DEAD_AFTER, Installation, Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def well(monkeypatch):
    Worker.objects.create(host="secret-host", pid=1)
    monkeypatch.setitem(health.CHECKS, "redis", lambda: True)


def test_health_is_ok_if_all_checks_pass(well):
    answer = Client().get("/health")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "checks": {"database": "ok", "redis": "ok", "worker": "ok", "threads": "ok", "installation": "ok"},
    }
    assert "secret" not in answer.content.decode() and answer["Cache-Control"] == "no-store" and not answer.cookies


def test_without_redis(well, monkeypatch):
    monkeypatch.setitem(health.CHECKS, "redis", lambda: False)
    answer = Client().get("/health")
    assert (answer.status_code, answer.json()["checks"]["redis"]) == (503, "missing")
    assert Client().get("/health/database").status_code == 200
    assert Client().get("/health/redis").status_code == 503


@pytest.mark.parametrize("fields", [{"beat_at": timezone.now() - DEAD_AFTER}, {"ended_at": timezone.now()}])
def test_without_a_living_worker(well, fields):
    Worker.objects.update(**fields)
    answer = Client().get("/health")
    assert (answer.status_code, answer.json()["checks"]["worker"]) == (503, "missing")
    assert Client().get("/health/live").status_code == 200


def test_without_a_database(well, monkeypatch):
    def gone(*_, **__):
        raise OperationalError("could not connect to db7.example.com as durascope")

    monkeypatch.setattr(connection, "cursor", gone)
    answer = Client().get("/health")
    assert answer.status_code == 503 and "db7" not in answer.content.decode()
    assert {name for name, said in answer.json()["checks"].items() if said == "missing"} == {
        "database",
        "worker",
        "threads",
        "installation",
    }
    assert Client().get("/health/live").json() == {"status": "ok", "checks": {}}


def test_there_is_no_other_check(client):
    assert client.get("/health/moon").status_code == 404
    assert client.post("/health").status_code == 405


def test_redis_that_is_not_there_is_missing(settings, monkeypatch):
    from dashboard.records.experiments import live

    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    live._redis.cache_clear()
    try:
        assert live.problem() == ("does not answer", "Start Redis.")
    finally:
        live._redis.cache_clear()


def test_with_a_thread_that_hangs(well):
    Worker.objects.update(stuck=[{"what": "a connection test", "row": 5, "since": "2026-06-10T20:00:00+00:00"}])
    answer = Client().get("/health")
    assert (answer.status_code, answer.json()["checks"]["threads"]) == (503, "missing")
    assert "connection" not in answer.content.decode(), "no more than that"
    assert Client().get("/health/database").status_code == 200 and Client().get("/health/worker").status_code == 200
    Worker.objects.update(ended_at=timezone.now())
    assert Client().get("/health/threads").status_code == 200, "a dead worker's threads are gone"


def test_a_restored_copy_that_is_held_says_so_and_writes_nothing(well):
    """Before a worker or beat has noted it, too."""
    Installation.objects.create(pk=1, identity="another machine:/another/path")
    answer = Client().get("/health")
    assert (answer.status_code, answer.json()["checks"]["installation"]) == (503, "held")
    assert "another" not in answer.content.decode()
    assert Installation.objects.get().held_at is None and not Event.objects.exists()
    assert Client().get("/health/database").status_code == 200
    release()
    assert Client().get("/health/installation").status_code == 200
