"""Storage engines that a server loads as plugins, and what each needs to be there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def _nothing() -> str:
    return ""


@dataclass(frozen=True)
class PluginEngine:
    """`name`: as SHOW ENGINES has it. `defaults`: options of a sandbox, which its settings may change. `preloads`:
    libraries of the build that must be in the server before it starts. `environment`: of the server. `missing`: why
    this machine cannot run it."""

    name: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    preloads: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    missing: Callable[[], str] = _nothing


def huge_pages_in_the_way() -> str:
    """TokuDB does not start where every process gets huge pages: its memory would grow beyond its cache."""
    try:
        always = "[always]" in HUGE_PAGES.read_text()
    except OSError:
        return ""
    fix = f"Until the next boot: echo madvise > {HUGE_PAGES}"
    return f"TokuDB does not run while transparent huge pages are `always` on this machine. {fix}" if always else ""


ENGINES: dict[str, PluginEngine] = {
    "ha_rocksdb.so": PluginEngine("ROCKSDB"),
    "ha_tokudb.so": PluginEngine(
        "TokuDB",
        # Left alone, its cache takes half of the machine's memory. It was never declared stable for MariaDB 10.5.
        defaults={"plugin_maturity": "unknown", "tokudb_cache_size": "128M"},
        preloads=("libjemalloc.so.2",),  # else it refuses to start
        # Its own look for huge pages maps memory over what another thread may just have got: one start of a hundred
        # crashed. `missing` looks in its place.
        environment={"TOKU_HUGE_PAGES_OK": "1"},
        missing=huge_pages_in_the_way,
    ),
}
