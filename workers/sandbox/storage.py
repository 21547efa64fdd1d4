"""Storage profiles: simulated devices of sandboxes, by the cost of an fsync.

An fsync of N dirty bytes takes K + N/R (claim F1), whether the file grows or is overwritten. Notation:

    sata-7200               a profile: one device for everything
    k=5ms,r=100MB/s         own K and R; without r the rate is not limited
    sata-7200+log           two of them: redo log and binlog on the second one (claim T3)
    sata-7200+binlog        two of them: the binlog alone on the second one
    sata-7200+redo          two of them: the redo log alone on the second one
"""

import re
from dataclasses import dataclass

from workers.errors import SandboxError

PAGE_BYTES = 4096  # a small write dirties a page; fsyncs per second are promised for it
MOST_K_MS = 1000.0
MOST_R_MB_PER_S = 100_000.0
OWN = re.compile(r"k=(?P<k>\d+(?:\.\d+)?)(?P<unit>us|ms|s)(?:,r=(?P<r>\d+(?:\.\d+)?)MB/s)?")
UNIT_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
HOW = "Write a profile's name or K and R of your own (k=5ms,r=100MB/s), then +log, +binlog or +redo if you like"


@dataclass(frozen=True)
class Profile:
    """`k_ms`: time of an fsync of nearly no data. `r_mb_per_s`: rate of writing dirty bytes (10^6 bytes per second; 0:
    not limited). `source`: of the figures."""

    title: str
    k_ms: float
    r_mb_per_s: float
    source: str


def _by_rate(fsyncs_per_s: float, title: str, r_mb_per_s: float, source: str) -> Profile:
    """A profile from its fsyncs of a page per second."""
    return Profile(title, 1000 / fsyncs_per_s - PAGE_BYTES / r_mb_per_s / 1000, r_mb_per_s, source)


PROFILES: dict[str, Profile] = {
    "sata-7200": _by_rate(120, "SATA disk, 7200 rpm", 100, "typical: one fsync a turn, 7200 / 60 s"),
    "hdd-10k": _by_rate(150, "Disk, 10,000 rpm", 120, "claim F2: about 150 fsync/s; the rate is typical"),
    "x25-m": _by_rate(1200, "Intel X25-M, an SSD of 2008", 70, "claim F2: about 1200 fsync/s; the rate is typical"),
    "raid-bbu": Profile("RAID with a battery", 0.4, 400, "claim G5: fast fsync, 0.4 ms; the rate is typical"),
    "raid-no-bbu": Profile("RAID without a battery", 4.5, 200, "claim G5: slow fsync, above 4 ms; the rate is typical"),
    "nvme-plp": Profile("NVMe with power-loss protection", 0.1, 2000, "typical through a file system"),
    "consumer-ssd": Profile("SSD without power-loss protection", 2.0, 400, "typical: 1 to 5 ms, by the model"),
    "cloud-block": Profile("Network block storage of a cloud", 1.0, 125, "typical of general-purpose volumes"),
}

# Which logs lie on the second device.
LAYOUTS: dict[str, frozenset[str]] = {
    "": frozenset(),
    "log": frozenset({"redo", "binlog"}),
    "binlog": frozenset({"binlog"}),
    "redo": frozenset({"redo"}),
}


@dataclass(frozen=True)
class Storage:
    """A device, or two of its kind. `text`: its notation; `apart`: the logs on the second one."""

    text: str
    title: str
    k_ms: float
    r_mb_per_s: float
    apart: frozenset[str] = frozenset()

    def fsync_ms(self, n_bytes: int = PAGE_BYTES) -> float:
        """K + N/R."""
        return self.k_ms + (n_bytes / self.r_mb_per_s / 1000 if self.r_mb_per_s else 0)

    @property
    def second(self) -> str:
        """The logs on the second device, in words; "": there is none."""
        return " and ".join(sorted(self.apart, reverse=True))

    @property
    def fsyncs_per_s(self) -> float:
        """Of one page each, one after the other."""
        return 1000 / self.fsync_ms()


def parse(text: str) -> Storage:
    """The storage of this notation. Raises SandboxError."""
    device, plus, layout = text.partition("+")
    if plus and not LAYOUTS.get(layout):
        known = ", ".join(f"+{name}" for name in LAYOUTS if name)
        raise SandboxError(f"Storage {text[:80]!r}: {layout[:40]!r} is not a layout of devices.", f"Known: {known}.")
    if profile := PROFILES.get(device):
        return Storage(text, profile.title, profile.k_ms, profile.r_mb_per_s, LAYOUTS[layout])
    return Storage(text, "Own K and R", *_own(text, device), LAYOUTS[layout])


def explain(text: str) -> str:
    """In words, for readers of a result. An unknown notation is shown as it is."""
    try:
        storage = parse(text)
    except SandboxError:
        return text
    rate = f", {storage.r_mb_per_s:g} MB/s" if storage.r_mb_per_s else ""
    apart = f"; {storage.second} on a device of its kind" if storage.second else ""
    return f"{storage.title}: {storage.fsyncs_per_s:.0f} fsync/s (K = {storage.k_ms:.3g} ms{rate}){apart}"


def _own(text: str, device: str) -> tuple[float, float]:
    """K in ms and R in MB/s."""
    found = OWN.fullmatch(device)
    if not found:
        known = ", ".join(PROFILES)
        raise SandboxError(f"There is no storage {text[:80]!r}.", f"Profiles: {known}. {HOW}.")
    k_ms, r = float(found["k"]) * UNIT_MS[found["unit"]], float(found["r"] or 0)
    if not 0 < k_ms <= MOST_K_MS:
        raise SandboxError(f"Storage {text!r}: K must be above 0 and at most {MOST_K_MS:g} ms.", f"{HOW}.")
    if found["r"] and not 0.1 <= r <= MOST_R_MB_PER_S:
        raise SandboxError(f"Storage {text!r}: R must be between 0.1 and {MOST_R_MB_PER_S:g} MB/s.", f"{HOW}.")
    return k_ms, r
