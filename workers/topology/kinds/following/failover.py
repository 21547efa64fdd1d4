"""The failover: a replica is chosen, applies its relay log and takes over."""

from collections.abc import Callable

from workers.crash.replica_link import Link
from workers.errors import SandboxError
from workers.servers.gtid import count, parse
from workers.topology.chain import Promoted, Struck
from workers.topology.kinds.following.begin import CATCH_UP_S, catch_up
from workers.topology.manager import FailoverManager
from workers.topology.nodes import Node
from workers.topology.takeover import LIMIT_S, counted_again, silence, take_over


def fail_over(struck: Struck) -> Promoted:
    """Promote a replica by the policy, then let clients commit on it. Raises SandboxError or ServerError."""
    policy, clock = struck.setup.policy, struck.ports.clock
    if struck.manager:
        return _by_manager(struck, struck.manager)
    began = clock()
    if policy.fence or struck.fault.harmless:
        struck = _fence(struck)
    struck.timeline.step("failover")
    candidates, recovery_s = _candidates(struck)
    link = _chosen(struck, candidates)
    applying_s = _promote(link, stop_first=policy.relay_log == "stop receiving, then apply", clock=clock)
    new = next(node for node in struck.replicas if node.sandbox is link.follower)
    return take_over(struck, new, began=began, recovery_s=recovery_s, applying_s=applying_s)


def _by_manager(struck: Struck, manager: FailoverManager) -> Promoted:
    """What it does with the old primary is its own. It stops once it has promoted: the return follows the policy."""
    struck.timeline.step("failover manager")
    candidates, recovery_s = _candidates(struck)
    new = manager.promoted(candidates, LIMIT_S, struck.timeline.must_go_on)
    manager.close()
    return take_over(struck, new, began=struck.struck_at, recovery_s=recovery_s)


def _fence(struck: Struck) -> Struck:
    """A primary that still runs gets no more clients. After a graceful switchover it ends as a service manager ends
    it, once its replicas have everything."""
    if struck.fault.primary_down:
        return struck
    struck.timeline.step("fence")
    if not struck.fault.harmless:
        return silence(struck)
    catch_up(struck.links, CATCH_UP_S)
    struck = counted_again(struck)
    struck.primary.sandbox.stop()
    return struck


def _candidates(struck: Struck) -> tuple[tuple[Node, ...], float | None]:
    """The replicas that the fault spared. If there is none, all start again, in so many seconds."""
    if spared := tuple(node for node in struck.replicas if node in struck.standing):
        return spared, None
    began = struck.ports.clock()
    for node in struck.replicas:
        node.restart({})
    return struck.replicas, struck.ports.clock() - began


def _chosen(struck: Struck, candidates: tuple[Node, ...]) -> Link:
    able = {node.sandbox for node in candidates}
    links = [link for link in struck.links if link.follower in able]
    policy = struck.setup.policy
    if policy.promote == "named":
        return struck.links[policy.named - 1]
    if policy.promote == "first" or len(links) == 1:
        return links[0]
    held = Link.executed if policy.promote == "most executed" else _held
    return max(links, key=lambda link: count(parse(held(link))))


def _held(link: Link) -> str:
    """GTIDs received or applied. After its own start a replica has received nothing yet."""
    return ",".join((link.received(), link.executed()))


def _promote(link: Link, stop_first: bool, clock: Callable[[], float]) -> float:
    """The seconds in which it applied what it had received. SandboxError: it cannot. Its missing commits would look
    like commits that it never got."""
    if stop_first:
        link.tell("STOP", "IO_THREAD")
    began = clock()
    link.tell("START", "SQL_THREAD")
    link.apply_received(CATCH_UP_S)
    applying_s = clock() - began
    if error := link.apply_error():
        raise SandboxError(f"The replica stopped applying: {error}.", "What it would have held is not known.")
    link.settle(CATCH_UP_S)
    return applying_s
