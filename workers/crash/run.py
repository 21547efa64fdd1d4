"""One crash trial: start, prepare, load, crash, recover, judge. Everything is removed in any case."""

from collections.abc import Callable, Iterator, Mapping

from workers.crash import dialects
from workers.crash.chain import PORTS, Begun, Crashed, Loaded, Prepared, Recovered, TrialPorts
from workers.crash.disks import must_have_data
from workers.crash.judge import judge
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds.kind import CrashKind, Recorded
from workers.crash.made import Made
from workers.crash.outage import ClientOutage
from workers.crash.points import exhaust
from workers.crash.points import steps as points
from workers.crash.prepare import prepare, start
from workers.crash.setup_and_result import Timeline, TrialResult, TrialSetup, told_with
from workers.crash.to_the_end import to_the_end
from workers.errors import PlanError, SandboxError, ServerEnded
from workers.sandbox.options import KEEP_BINLOG

POLL_S = 0.05
FIRST_S = 10.0  # longest wait for the first commits, beyond the moment that the seed drew
QUIET_S = 1.0  # how long an answer of a server on another host may be on its way


def crash_steps(begun: Begun) -> Iterator[Begun]:
    yield (started := start(begun))
    yield (prepared := prepare(started))
    yield (loaded := load(prepared))
    yield (crashed := crash(loaded))
    yield (recovered := recover(crashed))
    yield judge(recovered)


STEPS: Mapping[Recorded, Callable[[Begun], Iterator[Begun]]] = {
    "": crash_steps,
    "a load": points.steps,
    "histories": exhaust.steps,
}


def run_trial(
    setup: TrialSetup,
    tell: Callable[[str], None],
    cancelled: Callable[[], bool],
    ports: TrialPorts = PORTS,
    steps: Callable[[Begun], Iterator[Begun]] | None = None,
) -> TrialResult:
    """Raises PlanError when the kind is not available here, and Cancelled within two seconds. After any other error the
    verdict is unknown, unless a violation had been found; the result names the step."""
    kind = _kind(setup)
    timeline = Timeline(told_with(tell, kind.title), cancelled, ports.clock)
    settings = {**KEEP_BINLOG, **_for_replica(setup, kind), **setup.settings}
    begun = Begun(setup=setup, kind=kind, settings=settings, ports=ports, made=Made(), timeline=timeline)
    chosen = steps or STEPS[kind.records]
    return to_the_end(begun, lambda: chosen(begun), cancelled)


def _kind(setup: TrialSetup) -> CrashKind:
    kind = CRASH_KINDS.get(setup.kind)
    if kind is None:
        raise PlanError(f"There is no crash kind {setup.kind!r}.", f"Known: {', '.join(CRASH_KINDS)}.")
    if kind.attached != (setup.attached is not None) or (setup.attached or setup.build) is None:
        raise PlanError(f"{kind.title} is not for {setup.name}: nothing was crashed.", "Choose another crash kind.")
    if why := kind.missing():
        raise PlanError(f"{kind.title} is not available on this host.", why)
    return kind


def _for_replica(setup: TrialSetup, kind: CrashKind) -> Mapping[str, str]:
    """The primary's settings for a replica. PlanError when the build cannot have one."""
    logs = setup.settings.get("log_bin", "OFF").upper() in ("ON", "1")
    wanted = setup.replica or kind.with_replica
    return dialects.of(setup.build).of_source if wanted and setup.build and logs else {}


def load(prepared: Prepared) -> Loaded:
    """The clients commit until the moment drawn by the seed. SandboxError: they stopped before it."""
    prepared.timeline.step("load")
    witness, ports = prepared.witness, prepared.ports
    witness.begin()
    if prepared.reconnecting:
        prepared.reconnecting.begin(witness.began)
    due = witness.began + prepared.setup.crash_after_s
    while (left := due - ports.clock()) > 0 or (left > -FIRST_S and not _has_committed(prepared)):
        prepared.timeline.must_go_on()
        if not witness.alive:
            raise SandboxError(f"The clients stopped before the crash: {witness.trouble}.")
        ports.sleep(min(left, POLL_S) if left > 0 else POLL_S)
    position = prepared.look.gtid_position() if prepared.has_binlog else ""
    return Loaded(**vars(prepared), gtid_before=position or "")


def _has_committed(prepared: Prepared) -> bool:
    """As many commits as clients: a crash before them shows nothing. The outage of a client that reconnects begins with
    a commit."""
    client = prepared.reconnecting
    enough = prepared.witness.acknowledged >= prepared.setup.clients
    return enough and (client is None or client.has_committed)


def crash(loaded: Loaded) -> Crashed:
    """Freeze, drain, cut: workers.crash.witness explains this order."""
    kind, scene = loaded.kind, loaded.scene
    down = kind.silence(scene)
    loaded.witness.drain(QUIET_S if loaded.setup.attached else 0)
    notes = kind.cut(scene)
    before = loaded.copy_of_binlog()  # after the cut: a disk that holds flushes may block readers too
    notes |= kind.power_on(scene)
    return Crashed(**vars(loaded), down=down, before=before, crash_notes=notes)


def recover(crashed: Crashed) -> Recovered:
    """A server that ends because of what the crash left is a result: `refused` says how."""
    crashed.timeline.step("recovery")
    if crashed.disk:
        for disk in crashed.scene.disks:
            disk.storage(0)
    try:
        if crashed.kind.cuts_power:
            must_have_data(crashed.scene.sandbox.datadir)
        recovery = crashed.down.recover(crashed.settings)
        return Recovered(**vars(crashed), recovery=recovery, refused="", outage=_outage(crashed))
    except ServerEnded as ended:
        return Recovered(**vars(crashed), recovery=None, refused=ended.message)


def _outage(crashed: Crashed) -> ClientOutage | None:
    """Its client may commit until now; the rows are read afterwards."""
    if not (crashed.reconnecting and crashed.setup.attached):
        return None
    crashed.timeline.step("reconnect")
    return crashed.reconnecting.outage(crashed.setup.attached.limit_s, crashed.timeline.must_go_on)
