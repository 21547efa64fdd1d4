"""Real servers as registered ones, with what they answered."""

from collections.abc import Callable, Iterator
from dataclasses import asdict

from dashboard.records.servers.models import Preflight, Server
from workers.sandbox.server import Sandbox
from workers.servers import look, replication
from workers.servers.connection import connect
from workers.servers.target import Target
from workers.topology.chain import FailoverBegun, Formed
from workers.topology.kinds import TopologyKind
from workers.topology.run import steps


def answered(sandbox: Sandbox, name: str, target: Target | None = None) -> Server:
    """Registered, and tested as a worker tests it, with another account if that is given."""
    server = attached(sandbox, name)
    with connect(target or sandbox.target) as connection:
        facts = look.read(connection)
        kept = {"flavour": facts.flavour, "replication": asdict(replication.read(connection, facts))}
    Preflight.objects.create(server=server, state="done", facts=kept)
    return server


def attached(sandbox: Sandbox, name: str, target: Target | None = None) -> Server:
    """Registered with its password, or with that of another account, and never tested."""
    account = target or sandbox.target
    server = Server(name=name, kind="attached", host=account.host, port=account.port, socket=account.socket)
    server.user = account.user
    server.set_password(account.password)
    server.save()
    return server


def registering(into: list[Server]) -> Callable[[TopologyKind, FailoverBegun], Iterator[FailoverBegun]]:
    """The steps of a trial that registers its nodes once they are formed."""

    def steps_of(kind: TopologyKind, begun: FailoverBegun) -> Iterator[FailoverBegun]:
        for state in steps(kind, begun):
            if type(state) is Formed:
                into.extend(answered(node.sandbox, node.name) for node in state.nodes)
            yield state

    return steps_of
