"""The guardrails of an experiment: one watch for each attached server, from before the load until it is over."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple
from functools import partial

from dashboard.findings.attached.followers import followers
from dashboard.findings.attached.known import told
from dashboard.findings.attached.links import links
from dashboard.records.experiments import watches
from dashboard.records.servers.models import Server
from workers.bench.stage import Stage
from workers.conducting.job import Job
from workers.conducting.stages import Ready
from workers.errors import Cancelled, DurascopeError
from workers.guardrails.gauges import FreeDisk, Line, OtherThreads, ProbeP99, ReplicaLag
from workers.guardrails.limit import Gauge
from workers.guardrails.probe import CommitProbe
from workers.guardrails.watch import Watch


@contextmanager
def guarded(job: Job, ready: Iterable[Ready]) -> Iterator[None]:
    """Raises ServerError before the load if a limit is passed already. Meanwhile `job.trip` is the first limit that was
    passed. Every watch has ended, and its record is stored, when the block is left."""
    with ExitStack() as watching:
        for one in ready:
            server = job.servers[one.key.server_id]
            if not server.is_sandbox:
                job.say(f"checking the guardrails of {server}")
                watching.enter_context(job.ports.watch(job, server, one.stage))
        yield
        if job.trip:
            raise Cancelled("A limit was passed when the load was over.")


@contextmanager
def watched(job: Job, server: Server, stage: Stage) -> Iterator[None]:
    """One watch with its probe; none if every limit of the plan is 0."""
    if not any(astuple(job.plan.limits)):
        yield
        return
    probe = CommitProbe(stage.target, stage.schema(job.plan.variants[0].engine))
    watch = Watch(*_gauges(job, server, stage, probe))
    try:
        probe.start()
        watch.check()
        job.watches[server.name] = watch
        watch.start()
        yield
    finally:
        record = watch.stop()
        probe.stop()
        watches.store(job.experiment, server, record)


def _gauges(job: Job, server: Server, stage: Stage, probe: CommitProbe) -> tuple[list[Gauge], list[str]]:
    """The gauges, and sentences on figures that nothing can tell here."""
    limits, facts, line = job.plan.limits, stage.facts, partial(Line, stage.target)
    gauges: list[Gauge] = []
    unwatched: list[str] = []
    if limits.max_lag_s:
        known = told()
        found = followers(server, known, links(known))
        for number, replica in enumerate(found.watched, start=1):
            follower = known[replica].server
            gauges.append(ReplicaLag(follower.name, number, Line(follower.target()), facts, probe, limits.max_lag_s))
        unwatched += found.unwatched
        if not found.watched:
            unwatched.append("Replica lag is not watched: no replica of this server is registered here.")
    if limits.max_threads_running:
        gauges.append(OtherThreads(line(), facts, limits.max_threads_running))
    if limits.min_free_gb:
        disk = FreeDisk(stage.target, facts, line(), limits.min_free_gb)
        if why := _unreadable(disk):
            unwatched.append(f"Free disk space is not watched: {why}")
        else:
            gauges.append(disk)
    if limits.max_p99_ms:
        gauges.append(ProbeP99(probe, limits.max_p99_ms))
    return gauges, unwatched


def _unreadable(gauge: Gauge) -> str:
    """Why it cannot be read here; "" if it can."""
    try:
        gauge.read()
    except DurascopeError as refused:
        gauge.close()
        return refused.message
    return ""
