"""Does a simulated device keep the promise of its profile? The probe measures it."""

from dataclasses import dataclass

from workers.metrics.device_probe import DeviceProbe
from workers.sandbox.storage import PAGE_BYTES, Storage

WITHIN = 0.10


@dataclass(frozen=True)
class DevicePromise:
    """Fsyncs per second of a file that is overwritten page by page: promised, and from the probe's median, which a busy
    machine changes least. `matches`: within 10 %."""

    storage: str
    promised_per_s: float
    read_per_s: float
    matches: bool
    says: str


def compare(storage: Storage, probe: DeviceProbe, files: str = "") -> DevicePromise:
    """`files`: of which of two devices."""
    name = f"{storage.text}, {files}" if files else storage.text
    page = next(one for one in probe.flushes if (one.way, one.size_bytes) == ("overwrite", PAGE_BYTES))
    promised, read = storage.fsyncs_per_s, 1000 / page.p50_ms
    matches = abs(read - promised) <= WITHIN * promised
    return DevicePromise(name, promised, read, matches, _says(name, promised, read, matches))


def _says(name: str, promised: float, read: float, matches: bool) -> str:
    figures = f"{name} promises {promised:,.0f} fsync/s; the probe read {read:,.0f}"
    if matches:
        return f"{figures}: within 10 %."
    why = "the machine was too busy, or is too slow for this device" if read < promised else "it was too fast"
    return f"{figures}: it does not match, {why}. Figures measured on it are not those of {name}."
