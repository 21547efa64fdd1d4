"""Whether each simulated device was as fast as its profile promises."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from dashboard.findings.probed import ProbedDevice
from workers.sandbox.promise import DevicePromise

Promised = tuple[str, DevicePromise]  # the server's name, "" where there is one server


def promises(devices: Iterable[ProbedDevice], names: Mapping[int, str], clean: Callable[[str], str]) -> list[Promised]:
    """In the order of the probes. A device that was created twice is listed twice; each entry belongs to the runs made
    on it."""
    asked = [(one.server_id, one.promise) for one in devices if one.promise]
    several = len({server for server, _ in asked}) > 1
    return [
        (names[server] if several else "", replace(one, storage=clean(one.storage), says=clean(one.says)))
        for server, one in asked
    ]
