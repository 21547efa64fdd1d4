"""The storage page: the devices that a sandbox can lie on, and what an fsync costs there."""

from dataclasses import dataclass

from workers.sandbox.storage import PAGE_BYTES, PROFILES, Profile, Storage, parse

LARGE_BYTES = 1 << 20


@dataclass(frozen=True)
class ProfileLine:
    """A profile with what it promises; `large_ms`: an fsync of 1 MiB, where the rate R counts."""

    key: str
    profile: Profile
    fsyncs_per_s: float
    page_ms: float
    large_ms: float


def profiles() -> list[ProfileLine]:
    """The slowest first: from the oldest devices to today's."""
    lines = [_line(key, profile, parse(key)) for key, profile in PROFILES.items()]
    return sorted(lines, key=lambda line: line.fsyncs_per_s)


def _line(key: str, profile: Profile, storage: Storage) -> ProfileLine:
    return ProfileLine(key, profile, storage.fsyncs_per_s, storage.fsync_ms(PAGE_BYTES), storage.fsync_ms(LARGE_BYTES))
