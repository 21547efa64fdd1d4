"""The result of a probe on each device of a sandbox. A second device for the logs is an entry of its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.findings.grouped import grouped
from dashboard.installation.stored import read
from workers.metrics.device_probe import FlushTimes
from workers.metrics.fsync_sweep import SweepPoint
from workers.sandbox.promise import DevicePromise

FLUSHED_BYTES = 4096


@dataclass(frozen=True)
class ProbedDevice:
    """`storage` "" is the disk of the worker's host. `promise`: of simulated devices; `sweep` empty: not swept by size;
    `error`: why something is missing."""

    server_id: int
    storage: str
    flushes: tuple[FlushTimes, ...]
    promise: DevicePromise | None
    sweep: tuple[SweepPoint, ...]
    error: str


@dataclass(frozen=True)
class StoredSweep:
    times: tuple[SweepPoint, ...]


@dataclass(frozen=True)
class StoredDevice:
    """`holds`: the logs that lie on a second device."""

    flushes: tuple[FlushTimes, ...] = ()
    promise: DevicePromise | None = None
    sweep: StoredSweep | None = None
    error: str = ""
    holds: str = ""


@dataclass(frozen=True)
class StoredProbe(StoredDevice):
    """`Probe.data`. `logs`: a second device for the logs."""

    storage: str = ""
    logs: StoredDevice | None = None


def probed_devices(probes: Iterable[tuple[int, object]]) -> Iterator[ProbedDevice]:
    """From (server, `Probe.data`), in the order of the probes. The two devices of a server differ in `storage`."""
    for server_id, data in probes:
        stored = read(StoredProbe, data)
        yield _device(server_id, f"{stored.storage}, data" if stored.logs else stored.storage, stored)
        if stored.logs:
            yield _device(server_id, f"{stored.storage}, {stored.logs.holds}", stored.logs)


def _device(server_id: int, storage: str, stored: StoredDevice) -> ProbedDevice:
    swept = stored.sweep.times if stored.sweep else ()
    return ProbedDevice(server_id, storage, stored.flushes, stored.promise, swept, stored.error)


def sweep_of(stored: object) -> tuple[SweepPoint, ...]:
    """From "sweep" of `Probe.data`; None: the device was not swept."""
    return read(StoredSweep, stored).times if stored else ()


@dataclass(frozen=True)
class FlushMedians:
    """Of 4 KiB on an idle device. An append also flushes the file's new size, by the journal of the file system: a
    binary log appends. An overwrite does not: a redo log overwrites. None: not probed."""

    append_ms: float | None = None
    overwrite_ms: float | None = None


NOT_PROBED = FlushMedians()


def flush_of(devices: Sequence[ProbedDevice]) -> FlushMedians:
    """Nothing is known of several devices: a page says one time."""
    if len({one.storage for one in devices}) != 1:
        return NOT_PROBED
    known = {each.way: each.p50_ms for each in devices[-1].flushes if each.size_bytes == FLUSHED_BYTES}
    return FlushMedians(known.get("append"), known.get("overwrite"))


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


def broken(promised: Iterable[Promised]) -> list[tuple[str, str]]:
    """(Server, sentence) of each device that was not what it promises. A device that was created several times has one
    sentence."""
    found = grouped(((server, one.storage), one) for server, one in promised if not one.matches)
    return [(server, _together(mine)) for (server, _), mine in found.items()]


def _together(mine: Sequence[DevicePromise]) -> str:
    if len(mine) == 1:
        return mine[0].says
    first, reads = mine[0], [one.read_per_s for one in mine]
    return (
        f"{first.storage} promises {first.promised_per_s:,.0f} fsync/s; {len(mine)} probes read {min(reads):,.0f} to "
        f"{max(reads):,.0f}: they do not match. Figures measured on such a device are not those of {first.storage}."
    )
