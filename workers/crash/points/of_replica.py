"""A replica whose disk is in a state of its recording: it starts, and follows its recovered primary.

A replica goes on from its own position after a crash. If the position is ahead of what the engine holds, rows are
missing for ever, and no error tells it. So each recovered replica follows its primary to the end, the primary writes
on, the replica follows again, and all rows of both are compared.
"""

from collections.abc import Callable

from workers.crash.evidence import ReplicaSeen
from workers.crash.replica import AFTER_RECOVERY, WROTE_ON, Replica
from workers.errors import SandboxError, ServerEnded

FOLLOW_S = 60.0  # it applies what the load wrote


def followed(start: Callable[[], Replica]) -> tuple[ReplicaSeen, ...]:
    """`start`: starts it; its primary answers. Raises ServerError when the primary cannot write on."""
    try:
        replica = start()
    except ServerEnded as ended:
        return (ReplicaSeen(AFTER_RECOVERY, "stopped", f"it does not start: {ended.message}"),)
    except SandboxError as failed:
        return (ReplicaSeen(AFTER_RECOVERY, "unknown", failed.message),)
    after = replica.reconnect(AFTER_RECOVERY, FOLLOW_S)
    replica.write_past()
    return after, replica.reconnect(WROTE_ON, FOLLOW_S)
