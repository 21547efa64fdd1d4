"""What probes found, device by device: where logs lie on a second one, it is there as a device of its own.

A stored probe is one look at what a sandbox lies on: {"storage", "flushes", "promise", "sweep"} of the device with the
data, and under "logs" the same of the second one with what it "holds".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Probed = tuple[int, Mapping[str, Any]]  # server, and what was found


def each(probes: Iterable[Probed]) -> Iterator[Probed]:
    """(Server, what was found) of each device, in the order of the probes; `storage` tells two devices apart."""
    for server, data in probes:
        logs = data.get("logs")
        if logs is None:
            yield server, data
        else:
            yield server, {**data, "storage": f"{data['storage']}, data"}
            yield server, {**logs, "storage": f"{data['storage']}, {logs['holds']}"}
