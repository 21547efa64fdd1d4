"""Engines that come as plugins: what they need before the server starts, and that they must be there afterwards."""

from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox import options
from workers.sandbox.builds import Build, engines
from workers.sandbox.builds.engines import ENGINES, huge_pages_in_the_way
from workers.sandbox.builds.layout import Layout
from workers.servers.settings import SETTINGS

LIBRARIES = Layout(Path("/r/sbin/mysqld"), loader=Path("/r/ld.so"), libraries=(Path("/r/lib"),))
TOKUDB = Build("b", "", "mariadb", (10, 5, 23), LIBRARIES, plugins=("ha_tokudb.so",))


def option_file(tmp_path: Path, **settings: str) -> list[str]:
    return options.my_cnf(TOKUDB, tmp_path, 1, settings).splitlines()


def test_the_libraries_of_tokudb_are_preloaded():
    assert TOKUDB.command()[3:5] == ["--preload", "libjemalloc.so.2"]
    assert TOKUDB.command(Path("/t.so"))[3:5] == ["--preload", "libjemalloc.so.2:/t.so"]
    assert "LD_PRELOAD" not in TOKUDB.environment(Path("/t.so"))
    here = Build("b", "", "mariadb", (10, 5, 23), Layout(Path("/r/sbin/mysqld")), plugins=("ha_tokudb.so",))
    assert here.environment(Path("/t.so"))["LD_PRELOAD"] == "libjemalloc.so.2:/t.so"


def test_a_build_without_plugins_preloads_nothing():
    plain = Build("b", "", "mariadb", (10, 5, 23), LIBRARIES)
    assert plain.engines == () and "--preload" not in plain.command()
    assert "TOKU_HUGE_PAGES_OK" not in plain.environment()


def test_tokudb_does_not_look_for_huge_pages_itself():
    """It maps 4 MiB, frees them, and maps over that address: what another thread got there meanwhile is gone."""
    assert TOKUDB.environment()["TOKU_HUGE_PAGES_OK"] == "1"


def test_the_cache_of_tokudb_never_takes_half_of_the_memory(tmp_path):
    assert "tokudb_cache_size=128M" in option_file(tmp_path)
    chosen = option_file(tmp_path, tokudb_cache_size="33554432")
    assert "tokudb_cache_size=33554432" in chosen and "tokudb_cache_size=128M" not in chosen


def test_the_plugin_is_loaded_and_allowed(tmp_path):
    lines = option_file(tmp_path)
    assert "plugin_load_add=ha_tokudb.so" in lines and "plugin_maturity=unknown" in lines


@pytest.mark.parametrize("name", ["plugin_maturity", "tokudb_data_dir", "tokudb_log_dir"])
def test_places_and_what_may_be_loaded_are_the_sandboxes_own(tmp_path, name):
    with pytest.raises(SandboxError, match="the sandbox sets it itself"):
        option_file(tmp_path, **{name: "x"})


@pytest.mark.parametrize(
    ("text", "in_the_way"),
    [("[always] madvise never\n", True), ("always [madvise] never\n", False), ("always madvise [never]\n", False)],
)
def test_tokudb_is_refused_where_huge_pages_are_always_on(tmp_path, monkeypatch, text, in_the_way):
    monkeypatch.setattr(engines, "HUGE_PAGES", tmp_path / "enabled")
    assert huge_pages_in_the_way() == "", "a kernel without them"
    (tmp_path / "enabled").write_text(text)
    said = huge_pages_in_the_way()
    assert bool(said) is in_the_way and (f"echo madvise > {tmp_path}/enabled" in said) is in_the_way


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_size_that_a_sandbox_begins_with_can_be_changed(engine):
    assert {name for name in engine.defaults if name.endswith("_size")} <= set(SETTINGS)
