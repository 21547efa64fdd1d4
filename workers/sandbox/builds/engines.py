"""Storage engines that are plugins, and their needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@dataclass(frozen=True)
class PluginEngine:
    """`name`: as SHOW ENGINES has it. `defaults`: options of a sandbox, which its settings may change. `preloads`:
    libraries of the build that must be in the server before it starts. `environment`: of the server. `missing`: why
    this machine cannot run it."""

    name: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    preloads: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    missing: Callable[[], str] = lambda: ""


def huge_pages_in_the_way() -> str:
    """TokuDB does not start when every process gets huge pages: its memory would exceed its cache."""
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
        # Its own check for huge pages may overwrite memory of another thread: one start of a hundred crashed.
        # `missing` checks instead.
        environment={"TOKU_HUGE_PAGES_OK": "1"},
        missing=huge_pages_in_the_way,
    ),
}
