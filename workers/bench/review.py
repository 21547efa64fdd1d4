"""Problems of a plan and its expected time, before anything is changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from workers.bench import crash_review, own_review, site_review, stage_review
from workers.bench.invisible import refusal, unseen
from workers.bench.load import LoadRequest
from workers.bench.needs import Candidate
from workers.bench.plan import ENGINE_FIX, ENGINE_NAME, MOST_CELLS, Plan, PlanTarget, Variant, WorkloadChoice
from workers.bench.plan_field import dangling, out_of_bounds
from workers.bench.stage_key import stage_keys
from workers.bench.workloads import fit
from workers.errors import DurascopeError
from workers.metrics import SOURCES
from workers.servers.checks import OURS
from workers.servers.facts import FlavourKey
from workers.servers.settings import SETTINGS, check, same, switch
from workers.servers.target import Target

# Measured on 2 cores: a sandbox restart, and what a cell costs besides its load (docs/research/speed.md).
RESTART_S = 1.2
CELL_OVERHEAD_S = 0.4
START_S = 4.0
ROWS_PER_S = 60_000

LONGEST_NAMES = {"experiment": 120, "variant": 80, "workload": 80}  # as stored


def problems(plan: Plan, candidates: Mapping[int, Candidate], *, production_confirmed: bool = False) -> list[str]:
    """Why the plan cannot run, one sentence each; empty when it can."""
    found = list(_shape(plan))
    if found:
        return found
    found += _workloads(plan)
    found += own_review.problems(plan) if not found else ()
    for target in plan.targets:
        found += _target(plan, target, candidates[target.server_id], production_confirmed)
    found += stage_review.problems(plan, candidates)
    found += crash_review.problems(plan, candidates)
    found += _places(plan, candidates, is_possible=not found)
    return list(dict.fromkeys(found))


def without_binlog(plan: Plan, candidates: Mapping[int, Candidate]) -> list[str]:
    """Sandboxes whose binary log is off although a variant sets how it is flushed, one sentence each."""
    off = [
        variant.name
        for variant in plan.variants
        if "sync_binlog" in variant.settings
        and not variant.topology
        and switch(variant.settings.get("log_bin", "OFF")) == "OFF"
    ]
    names = [server.name for server in candidates.values() if server.is_sandbox]
    return [f"{name} has no binary log with {', '.join(off)}: sync_binlog changes nothing." for name in names if off]


def set_while_running(plan: Plan, candidates: Mapping[int, Candidate]) -> list[str]:
    """Attached servers that would be faster if they were started with a setting of a variant, one sentence each."""
    attached = [server for server in candidates.values() if not server.is_sandbox]
    return [
        f"{server.name} gets {setting} while it runs. Started with it, MariaDB writes its redo log to the page cache "
        f"and can be several times as fast with {', '.join(names)}."
        for server in attached
        for setting, names in _wanting_start(plan, server).items()
    ]


def _wanting_start(plan: Plan, server: Candidate) -> dict[str, list[str]]:
    """A setting that the server has not yet, and that it takes while it runs -> the variants with it."""
    found: dict[str, list[str]] = {}
    for variant in plan.variants:
        for name, value in variant.settings.items():
            setting, flavour = SETTINGS.get(name), server.flavour_of(variant)
            if not setting or not flavour or value == server.present.get(name):
                continue
            if setting.dynamic_on(flavour) and setting.wants_start(value, flavour, server.version):
                found.setdefault(f"{name}={value}", []).append(variant.name)
    return found


def _places(plan: Plan, candidates: Mapping[int, Candidate], *, is_possible: bool) -> Iterator[str]:
    """Whether one worker can reach every server and run the whole plan."""
    servers = [candidates[target.server_id] for target in plan.targets]
    if refusal := site_review.apart({server.name: server.site for server in servers}):
        yield refusal
        return
    for server in servers:
        if server.means_its_worker and len(server.hosts) > 1:
            yield site_review.ambiguous(server.name, server.site, sorted(server.hosts))
    if is_possible and servers:
        own = {key: server.build for key, server in candidates.items() if server.is_sandbox}
        yield from site_review.unable(plan, own, servers[0].site, servers[0].hosts)
        yield from _together(plan, servers)


def _together(plan: Plan, servers: list[Candidate]) -> Iterator[str]:
    """Whether enough workers are alive. A server that only its own host reaches needs them on that host."""
    site, alive = servers[0].site, servers[0].workers
    one_host = any(server.is_sandbox or server.means_its_worker for server in servers)
    hosts = sorted({host for host, _ in alive})
    host = max(hosts, key=lambda one: sum(of == one for of, _ in alive), default="") if one_host else ""
    names = sorted(name for of, name in alive if not host or of == host)
    if plan.load_workers > max(1, len(names)):
        yield site_review.too_few(plan.load_workers, site, names, host)


def estimate_s(plan: Plan) -> float:
    """Expected wall time in seconds."""
    restarts = len({_restart_key(variant) for variant in plan.variants}) > 1
    per_cell = plan.warmup_s + plan.measure_s + CELL_OVERHEAD_S + (RESTART_S if restarts else 0)
    engines = len({variant.engine for variant in plan.variants})
    each_stage = START_S + engines * len(plan.workloads) * plan.table_rows / ROWS_PER_S
    prepare = len(list(stage_keys(plan))) * each_stage
    return prepare + plan.size * per_cell + crash_review.estimate_s(plan)


def _restart_key(variant: Variant) -> tuple[tuple[str, str], ...]:
    fixed = ((name, value) for name, value in variant.settings.items() if name in SETTINGS)
    return tuple(sorted((name, value) for name, value in fixed if SETTINGS[name].wants_start(value, "mariadb")))


def _shape(plan: Plan) -> Iterator[str]:
    parts = {"server": plan.targets, "variant": plan.variants, "workload": plan.workloads}
    for what, chosen in (*parts.items(), ("number of threads", plan.threads)):
        if not chosen:
            yield f"Choose at least one {what}."
    yield from _names(plan)
    yield from out_of_bounds(plan)
    for threads in plan.threads:
        if 1 <= threads < plan.load_workers:
            yield f"{threads} threads cannot be shared by {plan.load_workers} workers: each needs at least one."
    yield from _twice("server", [target.name for target in plan.targets])
    yield from _twice("variant", [variant.name for variant in plan.variants])
    yield from _twice("workload", [workload.label for workload in plan.workloads])
    yield from _twice("number of threads", [str(threads) for threads in plan.threads])
    for engine in {variant.engine for variant in plan.variants}:
        if not ENGINE_NAME.fullmatch(engine):
            yield f"{engine[:40]!r} is no name of a storage engine. {ENGINE_FIX}"
    if plan.size > MOST_CELLS:
        yield f"The plan has {plan.size:,} measurements; at most {MOST_CELLS:,} fit one experiment. Remove some."
    for one, value in dangling(plan):
        yield f"{one.description.label}: {value!r} is not one of the {one.description.one_of}."


def _names(plan: Plan) -> Iterator[str]:
    given = [("experiment", plan.name), *(("variant", variant.name) for variant in plan.variants)]
    for what, name in [*given, *(("workload", workload.label) for workload in plan.workloads)]:
        if not name.strip():
            yield f"Give the {what} a name."
        elif len(name) > LONGEST_NAMES[what]:
            yield f"{name[:20]}...: the name of the {what} is too long, at most {LONGEST_NAMES[what]} characters fit."
        elif found := unseen(name):
            yield f"{name!r}, the name of the {what}: {refusal(found)}"


def _twice(what: str, names: list[str]) -> Iterator[str]:
    yield from (f"The {what} {name!r} occurs twice." for name in sorted({n for n in names if names.count(n) > 1}))


def _workloads(plan: Plan) -> Iterator[str]:
    for workload in plan.workloads:
        for engine in {variant.engine for variant in plan.variants}:
            asked = _request(plan, workload, engine)
            yield from _said(partial(fit, asked))
    yield from (f"There is no metric source {key!r}." for key in plan.sources if key not in SOURCES)


def _request(plan: Plan, workload: WorkloadChoice, engine: str) -> LoadRequest:
    """The plan's largest call of this workload, without a server."""
    nobody = Target("", "sandbox", "", "")
    most = max(plan.threads)
    return LoadRequest(
        nobody, "", workload.key, workload.params, engine, plan.table_rows, most, plan.measure_s, plan.seed
    )


def _target(plan: Plan, target: PlanTarget, server: Candidate, production_confirmed: bool) -> Iterator[str]:
    if server.is_production and not production_confirmed:
        yield f"{server.name} is labelled production: confirm the load for this one experiment."
    if server.read_only:
        yield (
            f"{server.name} was read-only at its last connection test ({', '.join(server.read_only)}): no load can be "
            "written there. If it is a replica, measure its source. After a change press Test connection."
        )
    most = max(plan.threads)
    if server.max_connections is not None and most + OURS > server.max_connections:
        yield (
            f"{server.name} allows {server.max_connections} connections, too few for {most} threads and "
            f"{OURS} connections of Durascope's own. "
            f"Raise it (SET GLOBAL max_connections = {most + 50}) or measure fewer threads."
        )
    for variant in plan.variants:
        yield from _variant(variant, server)


def _variant(variant: Variant, server: Candidate) -> Iterator[str]:
    if server.engines and variant.engine.lower() not in server.engines:
        yield f"Variant {variant.name}: {server.name} has no engine {variant.engine}."
    for name, value in variant.settings.items():
        if name not in SETTINGS:
            known = ", ".join(SETTINGS)
            yield f"Variant {variant.name}: {name} is not a setting that Durascope changes. Known: {known}."
        elif (flavour := server.flavour_of(variant)) is not None:
            yield from _setting(variant, name, value, server, flavour)


def _setting(variant: Variant, name: str, value: str, server: Candidate, flavour: FlavourKey) -> Iterator[str]:
    refused = list(_said(lambda: check(name, value, flavour)))
    yield from (f"Variant {variant.name} on {server.name}: {reason}" for reason in refused)
    if refused or server.is_sandbox or SETTINGS[name].dynamic_on(flavour):
        return
    if not same(name, server.present.get(name, ""), value):
        yield (
            f"Variant {variant.name}: {name}={value} needs a restart, and Durascope never restarts an attached "
            f"server such as {server.name}. Use a sandbox, or leave {name} out."
        )


def _said(attempt: Callable[[], object]) -> Iterable[str]:
    """The error of `attempt` as a sentence, if it raises."""
    try:
        attempt()
    except DurascopeError as refusal:
        return [str(refusal)]
    return []
