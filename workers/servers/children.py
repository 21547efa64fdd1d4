"""What a server sends is read in a child process, which can be ended: see `workers.host.apart`."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from workers.errors import ServerError
from workers.host.apart import ApartLimits, BrokeOff, ForkServer
from workers.servers.target import Target

P = ParamSpec("P")
T = TypeVar("T")
CHILDREN = ForkServer(("workers.servers.connection_test", "workers.servers.reading", "workers.servers.dump"))


def in_child(
    limits: ApartLimits, read: Callable[Concatenate[Target, P], T], target: Target, *args: P.args, **kwargs: P.kwargs
) -> T:
    """`read(target, ...)`, a function of a module. Raises as it does, and ServerError if it had to be ended."""
    try:
        return CHILDREN.run(limits, read, target, *args, **kwargs)
    except BrokeOff as ended:
        raise ServerError(
            f"The process that read the answers of {target.where} {ended.message}. It was ended, and nothing is known.",
            "Check what stands between the worker and the server: an honest server does not send that.",
        ) from ended
