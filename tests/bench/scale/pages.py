"""How long each page takes, and what it asks the database."""

import statistics
import time
from typing import Any

LIMIT_MS, TIMES = 100, 5


def measure() -> None:
    import dashboard.asgi  # noqa: F401 - as the web server does: loaded modules are no garbage to look through

    print("page                 status   median  longest  queries        KB")
    for name, client, address in _addresses():
        _one(name, client, address)


def _one(name: str, client: Any, address: str) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address)
        asked = len(queries)
        slowest = max(queries.captured_queries, key=lambda one: float(one["time"]), default={"time": "0", "sql": ""})
    took = []
    for _ in range(TIMES):
        began = time.perf_counter()
        client.get(address)
        took.append(1000 * (time.perf_counter() - began))
    middle = statistics.median(took)
    body = len(answer.content) / 1000
    mark = "" if middle <= LIMIT_MS else f"  over the goal; slowest query {slowest['time']} s: {slowest['sql'][:180]}"
    print(f"{name:22} {answer.status_code} {middle:9.0f} {max(took):8.0f} {asked:8} {body:9.0f}{mark}", flush=True)


def _addresses() -> list[tuple[str, Any, str]]:
    from django.contrib.auth.models import User
    from django.test import Client

    from dashboard.records.experiments.models import Cell, Trial
    from dashboard.records.sharing.actions import share

    user = User.objects.get(username="bench")
    script = _script(user)
    person = Client()
    person.force_login(user)
    trial = Trial.objects.order_by("pk").select_related("experiment")[0]
    shown = trial.experiment
    cell = Cell.objects.filter(experiment=shown).first()
    server = cell.server_id
    pages = {
        "home": "/",
        "experiments": "/experiments/",
        "experiments, page 1500": "/experiments/?page=1500",
        "search": "/experiments/?words=db00500",
        "search, nothing": "/experiments/?words=nothing+of+that",
        "of one server": f"/experiments/?server={server}",
        "new experiment": "/experiments/new/",
        "result": f"/results/{shown.pk}/",
        "cell": f"/results/cells/{cell.pk}/",
        "trial": f"/results/trials/{trial.pk}/",
        "claims": "/experiments/claims/",
        "servers": "/servers/",
        "server": f"/servers/{server}/",
        "fleet audit": "/servers/audit/",
        "history": f"/history/servers/{server}/",
        "schedules": "/nights/",
        "schedule": "/nights/1/",
        "new schedule": "/nights/new/",
        "workers": "/workers/",
        "builds": "/workers/builds/",
        "audit log": "/audit/",
        "audit log, page 9000": "/audit/?page=9000",
        "notifications": "/notifications/",
        "people": "/people/",
        "health": "/health",
    }
    calls = {
        "API experiments": "/api/v1/experiments",
        "API experiment": f"/api/v1/experiments/{shown.pk}",
        "API servers": "/api/v1/servers",
        "API servers, last": "/api/v1/servers?limit=200&offset=9800",
        "API schedules": "/api/v1/schedules",
        "API workers": "/api/v1/workers",
        "API audit": "/api/v1/audit",
        "metrics": "/metrics",
    }
    shared = {"share": f"/share/{share(user, shown)[1]}/"}
    return [
        *((name, person, address) for name, address in pages.items()),
        *((name, script, address) for name, address in calls.items()),
        *((name, Client(), address) for name, address in shared.items()),
    ]


def _script(user: Any) -> Any:
    from django.conf import settings

    from tests.unit.api.tokens import script

    settings.ALLOWED_HOSTS = ["testserver"]  # the name that this client asks for
    return script(user)
