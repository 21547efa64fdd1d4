"""Replicas begin to follow a primary: what trials and loads on a topology share."""

import time
from collections.abc import Callable, Mapping, Sequence

from workers.crash import dialects
from workers.crash.replica_link import Link
from workers.errors import SandboxError
from workers.host.until import until
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect
from workers.topology.kinds.following import position
from workers.topology.kinds.following.replication import SourceAndReplica
from workers.topology.topology import Role, Topology

FORM_S = 60.0
CATCH_UP_S = 600.0  # one applying thread that flushes each commit takes longer than the load did
POLL_S = 0.02
FLUSHING = ("innodb_flush_log_at_trx_commit", "sync_binlog")


def settings_of(
    kind: SourceAndReplica, topology: Topology, build: Build, replica: int, settings: Mapping[str, str]
) -> dict[str, str]:
    """All settings of replica 1, 2, ..., or of the primary: 0. A replica is set up as its primary, so that it can take
    its place. What the variant does not say about flushing, the server decides, as it would alone."""
    dialect = dialects.of(build)
    of_follower = {name: value for name, value in dialect.of_follower.items() if name not in FLUSHING}
    role: Role = "replica" if replica else "primary"
    # MySQL's manual asks for it on a replica that shall survive a crash.
    crash_safe = {"relay_log_recovery": "ON"} if build.flavour == "mysql" else {}
    own = {**crash_safe, **settings, **topology.settings_of(replica)} if replica else settings
    return {
        **dialect.of_source,
        **of_follower,
        **position.settings(topology, build),
        **kind.settings(topology, build, role),
        "log_bin": "ON",
        **own,
        "server_id": str(replica + 1),
    }


def begin(links: Sequence[Link]) -> None:
    """Each follower begins at the present position of its source. Raises SandboxError or ServerError."""
    for link in links:
        link.begin()
        link.start()
    catch_up(links)


def catch_up(links: Sequence[Link], limit_s: float = FORM_S) -> None:
    """Wait until every follower has everything. Raises SandboxError or ServerError."""
    deadline = time.monotonic() + limit_s
    for link in links:
        if (followed := link.follow(max(0.0, deadline - time.monotonic()))).state != "caught up":
            raise SandboxError(f"A replica does not follow its primary: {followed.error}", "Nothing was measured.")


def wait_until_ready(
    kind: SourceAndReplica, topology: Topology, primary: Sandbox, must_go_on: Callable[[], None] = lambda: None
) -> None:
    """SandboxError when the primary does not replicate as its topology asks."""
    with connect(primary.target) as connection:
        if not until(lambda: kind.is_ready(connection, topology), FORM_S, POLL_S, must_go_on):
            raise SandboxError(f"{kind.title} replication did not begin within {FORM_S:g} s.", "Look at the error log.")
