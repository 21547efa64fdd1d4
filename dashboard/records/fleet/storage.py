"""The storage page: the devices that a worker can simulate for a sandbox, and the time of an fsync on each."""

from dataclasses import dataclass

from workers.sandbox.storage import PAGE_BYTES, PROFILES, Profile, parse

LARGE_BYTES = 1 << 20


@dataclass(frozen=True)
class ProfileLine:
    """A storage profile with the fsync times that follow from it; `large_ms`: an fsync of 1 MiB, where the transfer
    rate R matters."""

    key: str
    profile: Profile
    fsyncs_per_s: float
    page_ms: float
    large_ms: float


def profiles() -> list[ProfileLine]:
    """The slowest device first."""
    known = [(key, profile, parse(key)) for key, profile in PROFILES.items()]
    lines = [
        ProfileLine(key, profile, device.fsyncs_per_s, device.fsync_ms(PAGE_BYTES), device.fsync_ms(LARGE_BYTES))
        for key, profile, device in known
    ]
    return sorted(lines, key=lambda line: line.fsyncs_per_s)
