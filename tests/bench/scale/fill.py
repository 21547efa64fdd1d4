"""A large installation: a few experiments as a worker stores them, copied by PostgreSQL to many servers and nights."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection

STEP = 1000  # between the keys of a row and of its next copy: more than the rows of any table before it is copied
FIRST, RUNS_EACH, SECONDS, NIGHTS, SITES = 10, 20, 100, 50, 100
LEVELS = {"1/1": 1000.0, "2/0": 3000.0}
LOSSES = {
    "1/1": {"process-kill": [(0, 0)] * 2, "power-loss": [(0, 0)] * 2},
    "2/0": {"process-kill": [(0, 0)] * 2, "power-loss": [(900, 1200)] * 2},
}
COUNTERS = ("cpu_s", "run_queue", "disk_writes", "disk_flushes", "disk_written_bytes", "disk_busy_ms")


@dataclass(frozen=True)
class Size:
    """`part`: 1.0 is the whole size."""

    part: float

    @property
    def servers(self) -> int:
        return round(10_000 * self.part)

    @property
    def schedules(self) -> int:
        return round(1_000 * self.part)

    @property
    def workers(self) -> int:
        return max(2, round(200 * self.part))

    @property
    def groups(self) -> int:
        """Groups of FIRST servers that are measured each night."""
        return self.schedules // FIRST


def fill(size: Size) -> None:
    """The account comes last: a folder that is kept is whole when there is one."""
    from django.contrib.auth.models import User

    servers = _servers(size.servers)
    _measured(servers[:FIRST])
    _copies(size)
    _schedules(size)
    _tests(servers)
    _rest(size)
    _sequences()
    User.objects.create_superuser("bench", password=secrets.token_urlsafe(20))


def site(number: int) -> str:
    return f"site-{number % SITES:02d}"


def _servers(count: int) -> list[Any]:
    """A tenth are sandboxes; a fifth of the others are production."""
    from dashboard.records.servers.models import Server

    rows = [
        Server(name=f"db{n:05d}", kind="sandbox", build="mariadb-10.11", site=site(n))
        if n % 10 == 9
        else Server(
            name=f"db{n:05d}", kind="attached", host=f"10.{n // 65536}.{n // 256 % 256}.{n % 256}", user="bench",
            site=site(n), label="production" if n % 5 == 4 and n > FIRST * 100 else "test",
        )
        for n in range(count)
    ]  # fmt: skip
    return Server.objects.bulk_create(rows, batch_size=1000)


def _measured(servers: list[Any]) -> None:
    from django.utils import timezone

    from dashboard.findings import conclusion
    from dashboard.history import update
    from dashboard.records.experiments.models import Experiment, RunEvidence, Series
    from tests.unit.results import factory, trials

    at = timezone.now() - timedelta(hours=6)
    for server in servers:
        one = factory.experiment(
            LEVELS, servers=[server], threads=(1, 16), repeats=5, seconds=SECONDS, name=f"Nightly {server.name}"
        )
        trials.add(one, LOSSES)
        Experiment.objects.filter(pk=one.pk).update(created_at=at, started_at=at, ended_at=at + timedelta(hours=1))
    for series in Series.objects.all():
        series.columns |= {name: [float(n * 37 % 1009) for n in range(SECONDS)] for name in COUNTERS}
        series.save()
    line = "[ {0}s ] thds: 16 tps: {0}12.00 qps: {0}12.00 (r/w/o: 0.00/{0}12.00/0.00) lat (ms,95%): 2.{0} err/s: 0.00\n"
    output = "".join(line.format(n) for n in range(SECONDS))
    RunEvidence.objects.update(output=output, histogram=[[1.1**n, n * 17 % 971] for n in range(90)])
    for one in Experiment.objects.all():
        conclusion.remember(one)
    while not update.keep(timezone.now(), lambda _: None, round_s=3600):
        pass


def _copies(size: Size) -> None:
    """Copy k is night k / groups of group k % groups. Parents come before children."""
    copies = size.groups * NIGHTS
    group, night = f"(k % {size.groups})", f"(k / {size.groups})"
    earlier = f"{{0}} - {night} * interval '1 day' + {group} * interval '1 second'"
    key, server = f"{{0}} + k * {STEP}", f"{{0}} + {group} * {FIRST}"
    named = f"regexp_replace({{0}}, 'db0000(\\d)', 'db' || lpad({group}::text, 4, '0') || '\\1', 'g')"
    moved = (
        "regexp_replace({0}::text, '(\"server_id\": )\\d+', '\\1' || "
        f"((plan #>> '{{{{targets,0,server_id}}}}')::int + {group} * {FIRST}), 'g')"
    )
    moved = named.replace("{0}", moved) + "::jsonb"
    times = dict.fromkeys(("created_at", "started_at", "ended_at"), earlier)
    plain = "experiments"
    _copy(f"{plain}_experiment", copies, {"id": key, "name": named, "plan": moved, "analysis": moved, **times})
    _copy(f"{plain}_words", copies, {"experiment_id": key, "text": named})
    for table in ("cell", "trial"):
        _copy(f"{plain}_{table}", copies, {"id": key, "experiment_id": key, "server_id": server, **_without(times)})
    _copy(f"{plain}_run", copies, {"id": key, "cell_id": key})
    for table, column in (("series", "run_id"), ("runevidence", "run_id"), ("trialevidence", "trial_id")):
        _copy(f"{plain}_{table}", copies, {column: key})
    track = f"{{0}} + {group} * {STEP}"
    _copy("history_track", size.groups, {"id": track, "server_id": server})
    _copy("history_entry", copies, {"id": key, "experiment_id": key, "track_id": track, "at": earlier})
    _copy("history_noted", copies, {"experiment_id": key, "ended_at": earlier})


def _without(times: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in times.items() if name != "created_at"}


def _copy(table: str, copies: int, changed: dict[str, str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table])
        columns = [name for (name,) in cursor.fetchall()]
        values = ", ".join(changed.get(name, "{0}").format(f'"{name}"') for name in columns)
        names = ", ".join(f'"{name}"' for name in columns)
        cursor.execute(
            f'INSERT INTO "{table}" ({names}) SELECT {values} FROM "{table}", generate_series(1, {copies - 1}) AS k'
        )
        print(f"{table:28} {cursor.rowcount:11,} rows", flush=True)


def _schedules(size: Size) -> None:
    """Schedule n measures server n. Its nights are the copies of that server's experiment."""
    from django.contrib.auth.models import User

    from dashboard.records.experiments.models import Experiment
    from dashboard.records.schedules.models import Schedule
    from dashboard.records.servers.models import Server

    person = User.objects.create_superuser("scheduler", password=secrets.token_urlsafe(20))
    plan = Experiment.objects.order_by("pk").values_list("plan", flat=True)[0]
    plan["workloads"] = [{**one, "key": "update-by-key"} for one in plan["workloads"]]  # one that can be started
    measured = Server.objects.order_by("pk")[: size.schedules]
    Schedule.objects.bulk_create(
        Schedule(
            pk=n, name=f"Nightly {server.name}", cron="30 2 * * *", zone="UTC", runs_as=person,
            plan={**plan, "targets": [{**plan["targets"][0], "server_id": server.pk, "name": server.name}]},
        )
        for n, server in enumerate(measured, start=1)
    )  # fmt: skip
    first = Experiment.objects.order_by("pk").values_list("pk", flat=True)[0]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO schedules_night (schedule_id, due_at, state, reason, experiment_id, closed_at) "
            f"SELECT id % {STEP} - {first} + 1 + (id / {STEP} % {size.groups}) * {FIRST}, "
            "created_at, 'started', '', id, ended_at FROM experiments_experiment"
        )


def _tests(servers: list[Any]) -> None:
    """Three connection tests of each attached server."""
    from dataclasses import asdict

    from django.utils import timezone

    from dashboard.records.servers.models import Preflight
    from workers.servers import durability
    from workers.servers.facts import Facts
    from workers.servers.present import settings_in_words

    variables = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "log_bin": "ON", "innodb_doublewrite": "ON"}
    weak = {**variables, "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}
    answers = []
    for values in (variables, weak):
        facts = Facts("mariadb", (10, 11, 6), "10.11.6-MariaDB-log", values, {"innodb": "DEFAULT"})
        words = [list(row) for row in settings_in_words(facts)]
        told = {"flavour": "mariadb", "version_text": facts.version_text, "engines": dict(facts.engines)}
        kept = {**told, "settings": values, "words": words, "replication": None, "max_connections": "151"}
        answers.append({"facts": kept, "durability": [asdict(one) for one in durability.report(facts)]})
    checks = [
        {
            "key": f"check-{n}",
            "title": f"Check {n}",
            "outcome": "passed",
            "says": "The account may do this.",
            "fix": "",
        }
        for n in range(12)
    ]
    now = timezone.now()
    attached = [one for one in servers if one.kind == "attached"]
    Preflight.objects.bulk_create(
        (
            Preflight(
                server=one, state="done", asked_at=now - timedelta(days=day), done_at=now - timedelta(days=day),
                checks=checks, **answers[one.pk % 2],
            )
            for day in (90, 30, 1)
            for one in attached
        ),
        batch_size=1000,
    )  # fmt: skip


def _rest(size: Size) -> None:
    """The audit log, sent messages, workers that live and workers that ended."""
    from dataclasses import asdict

    from workers.upkeep import abilities

    events, sent, ended = (round(one * size.part) for one in (500_000, 50_000, 5_000))
    able = asdict(abilities.describe())
    from django.utils import timezone

    from dashboard.records.fleet.models import Worker

    now = timezone.now()
    living = now + timedelta(days=1)  # alive for as long as the benchmark takes
    Worker.objects.bulk_create(
        [
            Worker(host=f"w{n:03d}", pid=n + 1, site=site(n), version="0.1", abilities=able, beat_at=living)
            for n in range(size.workers)
        ]
        + [
            Worker(host=f"w{n % 200:03d}", pid=n, site=site(n), beat_at=now - timedelta(hours=n), ended_at=now,
                   abilities=able)
            for n in range(1, ended)
        ],
        batch_size=500,
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_event (at, name, did, what, detail) SELECT now() - n * interval '1 minute', 'anna', "
            "(ARRAY['started','registered','tested','deleted','shared'])[1 + n % 5], 'Nightly db' || n % 10000, "
            f"jsonb_build_object('id', n) FROM generate_series(1, {events}) AS n"
        )
        cursor.execute(
            'INSERT INTO notifications_delivery (key, "to", event, title, text, path, facts, state, attempts, error, '
            "created_at, next_at, ended_at) SELECT gen_random_uuid(), 'team', 'night_ended', 'db ended', 'done', '/', "
            "'{}', 'sent', 1, '', now() - n * interval '1 minute', now(), now() "
            f"FROM generate_series(1, {sent}) AS n"
        )


def _sequences() -> None:
    """What PostgreSQL does by itself in the long run, and what it cannot know of keys that were given."""
    from django.apps import apps
    from django.core.management.color import no_style

    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(apps.get_models())):
            cursor.execute(statement)
        cursor.execute("VACUUM ANALYZE")
