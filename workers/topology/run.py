"""One failover trial: form, load, fault, failover, return, judge. Everything is removed in any case."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from workers.crash.made import Made
from workers.crash.replica import SCHEMA
from workers.crash.setup_and_result import Timeline, told_with
from workers.crash.to_the_end import to_the_end
from workers.crash.witness import Witness
from workers.errors import PlanError, SandboxError
from workers.topology.chain import PORTS, FailoverBegun, FailoverLoaded, FailoverPorts, Formed, Struck
from workers.topology.faults import FAULTS, Fault
from workers.topology.judge import judge
from workers.topology.kinds import TOPOLOGY_KINDS, TopologyKind, impossible
from workers.topology.reader import CommitReader
from workers.topology.reconnected import ReconnectedClients
from workers.topology.semi_sync_status import counters
from workers.topology.setup_and_result import FailoverResult, FailoverSetup
from workers.topology.updates import VersionClients

POLL_S = 0.02
FIRST_S = 10.0  # longest wait for the first commit


Steps = Callable[[TopologyKind, FailoverBegun], Iterator[FailoverBegun]]


def steps(kind: TopologyKind, begun: FailoverBegun) -> Iterator[FailoverBegun]:
    """Each state is made from the one before it."""
    yield (formed := kind.form(begun))
    yield (loaded := load(formed))
    yield (struck := strike(loaded))
    yield (promoted := kind.fail_over(struck))
    yield (returned := kind.come_back(promoted))
    yield judge(returned)


def run_failover(
    setup: FailoverSetup,
    tell: Callable[[str], None],
    cancelled: Callable[[], bool],
    ports: FailoverPorts = PORTS,
    steps: Steps = steps,
) -> FailoverResult:
    """Raises PlanError when this cannot be tried here, and Cancelled within two seconds. Any other error makes the
    verdict unknown; the result names the step."""
    fault = _fault(setup)
    setup = replace(setup, topology=fault.tried_on(setup.topology))
    kind = _kind(setup)
    if wrong := impossible(kind, setup.topology, setup.build, fault, setup.settings):
        raise PlanError(" ".join(wrong), "Change the topology, the fault or the policy, or take another build.")
    if setup.policy.by_manager and not setup.manager:
        raise PlanError(
            "No failover manager is known on the worker's host.",
            "Set DURASCOPE_FAILOVER_COMMAND there to its arguments, a JSON list.",
        )
    timeline = Timeline(told_with(tell, fault.title), cancelled, ports.clock)
    begun = FailoverBegun(setup=setup, fault=fault, ports=ports, made=Made(), timeline=timeline)
    return to_the_end(begun, lambda: steps(kind, begun), cancelled, raises=PlanError)


def load(formed: Formed) -> FailoverLoaded:
    """The clients commit until the moment drawn by the seed, and until a commit was acknowledged and read: on a busy
    machine that may come later. SandboxError: they stopped before it."""
    formed.timeline.step("load")
    setup, ports = formed.setup, formed.ports
    if not setup.topology.applying:
        for link in formed.links:
            link.tell("STOP", "SQL_THREAD")
    target, *more = (node.sandbox.target for node in formed.nodes)
    others = more if setup.topology.writers == "each" else []
    witness = ports.witness(target, SCHEMA, setup.clients, formed.secret, others=others)
    formed.made.callback(witness.close)
    reader = ports.reader(target)
    formed.made.callback(reader.close)
    versions = VersionClients([target, *others], setup.topology.updates) if setup.topology.updates else None
    if versions:
        formed.made.callback(versions.close)
        versions.begin()
    witness.begin()
    reader.begin()
    due = witness.began + setup.crash_after_s
    while (left := due - ports.clock()) > 0 or (left > -FIRST_S and not _has_begun(witness, reader)):
        formed.timeline.must_go_on()
        if not witness.alive:
            raise SandboxError(f"The clients stopped before the fault: {witness.trouble}.")
        ports.sleep(min(left, POLL_S) if left > 0 else POLL_S)
    counted = counters(setup.topology, target)
    after = ReconnectedClients(setup.clients, formed.secret, ports.reconnecting)
    formed.made.callback(after.close)
    return FailoverLoaded(
        **vars(formed), witness=witness, reader=reader, semi_sync=counted, after=after, versions=versions
    )


def _has_begun(witness: Witness, reader: CommitReader) -> bool:
    return reader.saw_any and witness.acknowledged > 0


def strike(loaded: FailoverLoaded) -> Struck:
    struck_at = loaded.ports.clock()
    loaded.fault.strike(loaded.scene())
    return Struck(**vars(loaded), struck_at=struck_at, strike_s=loaded.ports.clock() - struck_at)


def _kind(setup: FailoverSetup) -> TopologyKind:
    kind = TOPOLOGY_KINDS.get(setup.topology.kind)
    if kind is None:
        raise PlanError(
            f"There is no topology of the kind {setup.topology.kind!r}.", f"Known: {', '.join(TOPOLOGY_KINDS)}."
        )
    return kind


def _fault(setup: FailoverSetup) -> Fault:
    fault = FAULTS.get(setup.fault)
    if fault is None:
        raise PlanError(f"There is no fault {setup.fault!r}.", f"Known: {', '.join(FAULTS)}.")
    if why := fault.missing():
        raise PlanError(f"{fault.title} is not available on this host.", why)
    return fault
