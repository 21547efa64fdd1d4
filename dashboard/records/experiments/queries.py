"""Experiments as pages and the command line read them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NotRequired, TypedDict

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from dashboard.records.experiments import live, pace, why_queued
from dashboard.records.experiments.kind_names import title
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.fleet import sites
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from workers.bench.abilities import Abilities, together
from workers.bench.needs import Candidate
from workers.bench.plan import Plan
from workers.crash import dialects
from workers.sandbox import builds
from workers.servers.answered import AnsweredFacts
from workers.servers.facts import Version
from workers.servers.look import UNREADABLE, version_of

MOST_CELLS_SHOWN = 200
CELLS_BEFORE = 20


def candidates(plan: Plan) -> dict[int, Candidate]:
    """Facts about the plan's servers. Raises Server.DoesNotExist for a deleted server."""
    servers = [Server.objects.get(pk=target.server_id) for target in plan.targets]
    here = {site: sites.listening(site) for site in {server.site for server in servers}}
    return {server.pk: _candidate(server, here[server.site]) for server in servers}


def _candidate(server: Server, listening: Sequence[Worker]) -> Candidate:
    hosts = _hosts(listening)
    alive = tuple((worker.host, str(worker)) for worker in listening)
    if server.is_sandbox:
        able = together(hosts.values())
        known = builds.every()
        flavours = {key: build.flavour for key, build in known.items()}
        alone = dialects.missing_of(known)
        return Candidate(
            server.name,
            is_sandbox=True,
            site=server.site,
            hosts=hosts,
            workers=alive,
            build=server.build,
            flavour=flavours.get(server.build),  # None: a user added the build and removed it later
            crash_missing=able.crash_missing,
            builds=flavours,
            versions=_versions(hosts.values()),
            installed=None if able.builds is None else frozenset(able.builds),
            disk_missing=able.disk_missing or "",
            manager_missing=_manager_missing(server, hosts.values()),
            replica_missing={**alone, "": alone.get(server.build, "")},
        )
    facts = answer.known if (answer := server.last_answer) else AnsweredFacts()
    engines = (name.lower() for name, support in facts.engines.items() if support in ("YES", "DEFAULT"))
    return Candidate(
        server.name,
        is_sandbox=False,
        site=server.site,
        hosts=hosts,
        workers=alive,
        means_its_worker=server.means_its_worker,
        is_production=server.label == Server.Label.PRODUCTION,
        flavour=facts.flavour or None,
        version=version_of(facts.version_text) if facts.version_text else None,
        engines=frozenset(engines),
        max_connections=int(facts.max_connections) if facts.max_connections else None,
        present=facts.settings,
        read_only=facts.read_only,
        may_be_crashed=server.may_be_crashed,
    )


def _hosts(listening: Sequence[Worker]) -> dict[str, Abilities]:
    """The newest worker's of each host. `listening`: newest first."""
    return {one.host: one.able for one in reversed(listening)}


def _manager_missing(server: Server, hosts: Collection[Abilities]) -> str:
    """Workers that do not tell, and a site without workers, count as if they had one."""
    if server.failover_command or not hosts or any(one.failover_command for one in hosts):
        return ""
    return (
        f"{server} has no failover manager. Name its command on the server's page, or set DURASCOPE_FAILOVER_COMMAND "
        "for the workers."
    )


def _versions(hosts: Iterable[Abilities]) -> dict[str, Version]:
    """Of builds, as the workers that have them say."""
    told = {key: version_of(build.version) for one in hosts for key, build in (one.builds or {}).items()}
    return {key: version for key, version in told.items() if version != UNREADABLE}


def crash_missing(servers: Iterable[Server] = ()) -> Mapping[str, str]:
    """Crash kind -> why no living worker of the servers' site can do it; without servers: of any site. Empty if all can
    be done, or if no worker is alive."""
    known = {server.site for server in servers} or sites.manned()
    return together(_hosts([one for site in sorted(known) for one in sites.listening(site)]).values()).crash_missing


def listed() -> QuerySet[Experiment]:
    """All experiments, newest first, with their tags, without plan and analysis. See also `with_progress`."""
    return _shown(Experiment.objects.select_related("created_by").order_by("-created_at", "-pk"))


def deleted() -> QuerySet[Experiment]:
    return _shown(Experiment.deleted.select_related("created_by", "deleted_by").order_by("-deleted_at", "-pk"))


def _shown(rows: QuerySet[Experiment]) -> QuerySet[Experiment]:
    return rows.defer("plan", "analysis", "claims", "outcomes").prefetch_related("tags")


def at_site(site: str, rows: QuerySet[Experiment]) -> QuerySet[Experiment]:
    """Those of `rows` whose servers are at the site, and those that have neither cells nor trials. One query, however
    many rows: workers ask this again and again."""
    first = [
        Subquery(model.objects.filter(experiment=OuterRef("pk")).order_by("position").values("server__site")[:1])
        for model in (Cell, Trial)
    ]
    return rows.annotate(at_site=Coalesce(*first, Value(site))).filter(at_site=site)


def with_progress(rows: Iterable[Experiment]) -> list[Experiment]:
    """Sets `servers` (names), `crashes`, `total`, `done` and `failed` of each experiment: cells and trials together.
    Three queries for all of them are faster than subqueries."""
    known = {one.pk: one for one in rows}
    cells, trials = _states(Cell, known), _states(Trial, known)
    servers = servers_of(known)
    for pk, one in known.items():
        both = cells[pk] + trials[pk]
        one.servers = servers[pk]
        one.crashes, one.total = trials[pk].total(), both.total()
        one.done, one.failed = both[Cell.State.DONE], both[Cell.State.FAILED]
    return [*known.values()]


def servers_of(pks: Iterable[int]) -> dict[int, list[str]]:
    """Experiment id -> the names of its servers as they were when it was planned."""
    found = Experiment.everything.filter(pk__in=list(pks)).values_list("pk", "plan__targets")
    return {pk: [target["name"] for target in targets or ()] for pk, targets in found}


def _states(model: type[Cell | Trial], experiments: Collection[int]) -> defaultdict[int, Counter[str]]:
    """Experiment id -> number of its rows by state."""
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    rows = model.objects.filter(experiment__in=experiments).order_by().values_list("experiment", "state")
    for pk, state, n in rows.annotate(n=Count("pk")):
        found[pk][state] = n
    return found


def cells_to_show(experiment: Experiment) -> list[Cell]:
    """The failed cells of a long experiment and those around the present cell, in order of execution."""
    left = experiment.cells.filter(state__in=[Cell.State.WAITING, Cell.State.RUNNING]).order_by("position").first()
    since = max(0, left.position - CELLS_BEFORE) if left else 0
    wanted = Q(position__gte=since) | Q(state=Cell.State.FAILED)
    return list(experiment.cells.filter(wanted).select_related("server").order_by("position")[:MOST_CELLS_SHOWN])


def failed_cells(experiment: Experiment) -> list[str]:
    cells = experiment.cells.filter(state=Cell.State.FAILED)
    return [f"{cell.variant}, {cell.threads} threads: {cell.error} {cell.fix}".strip() for cell in cells]


def has_results(experiment: Experiment) -> bool:
    return any(rows.filter(state=Cell.State.DONE).exists() for rows in (experiment.cells, experiment.trials))


class RunningRow(TypedDict):
    position: int  # counted from 1
    server: str
    server_id: int
    variant: str
    workload: str
    threads: NotRequired[int]  # a trial has none
    repeat: int


class LiveState(TypedDict):
    state: str
    activity: str
    done: int
    failed: int
    total: int
    left_s: float | None
    left_is_least: bool
    cell: RunningRow | None
    series: str
    since: int
    seconds: list[dict[str, float | None]]
    warming: bool
    stopping: str
    message: str
    over: bool


def live_state(experiment: Experiment, have: live.LivePosition = live.FROM_START) -> LiveState:
    """The state of an experiment for a live page or a terminal. `seconds`: those of the running cell that the reader
    does not have; none while a trial runs."""
    paces = pace.paces(experiment)
    stopping = why_queued.stopping(experiment)
    left = None if stopping else pace.left(experiment, paces)
    cell, mark = _running(experiment)
    picture = live.latest(experiment.pk, have) if mark else live.NO_SECONDS
    if picture.mark != mark:  # seconds of an ended cell
        picture = live.NO_SECONDS
    return {
        "state": experiment.state,
        "activity": why_queued.does_now(experiment),
        "done": paces.count("done"),
        "failed": paces.count("failed"),
        "total": paces.total,
        "left_s": left.seconds if left else None,
        "left_is_least": left.is_least if left else False,
        "cell": cell,
        "series": picture.series,
        "since": picture.since,
        "seconds": [dict(zip(("t_s", "tps", "p95_ms"), row, strict=True)) for row in picture.seconds],
        "warming": picture.warming,
        "stopping": stopping,
        "message": f"{experiment.error} {experiment.fix}".strip(),
        "over": experiment.is_over,
    }


def _running(experiment: Experiment) -> tuple[RunningRow | None, str]:
    """The running cell or trial, and the mark of its seconds in Redis; "" for a trial, which has none."""
    if cell := experiment.cells.filter(state=Cell.State.RUNNING).select_related("server").first():
        found = _row(cell, cell.workload)
        found["threads"] = cell.threads
        return found, live.mark(cell.started_at)
    trial = experiment.trials.filter(state=Cell.State.RUNNING).select_related("server").first()
    return _row(trial, f"crash: {title(trial.kind)}") if trial else None, ""


def _row(row: Cell | Trial, workload: str) -> RunningRow:
    return {
        "position": row.position + 1,
        "server": row.server.name,
        "server_id": row.server_id,
        "variant": row.variant,
        "workload": workload,
        "repeat": row.repeat,
    }
