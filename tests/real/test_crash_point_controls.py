"""Controls of the crash points: a defect that is made on purpose must be called."""

import subprocess

from tests.real.disks import needs_disk
from tests.real.recorded_loads import failed, of_one_way, with_late_binlog
from tests.real.test_swallowed_fsync import SOURCE
from tests.real.trials import FIRST_FLUSH_S, settings
from tests.real.wider import Wider

pytestmark = needs_disk
# Of so small a cache that pages are written all the time.
PAGES = {"innodb_buffer_pool_size": "8M", "innodb_max_dirty_pages_pct": "0", "innodb_max_dirty_pages_pct_lwm": "0"}


def test_a_binlog_that_is_flushed_after_the_engine_is_called(sandbox_root):
    """Two flushes of a recorded log trade their writes: between them the engine holds what the binlog lacks."""
    states, deciding = of_one_way(
        sandbox_root, "after a flush", 40, with_late_binlog, until="engine-only", decided=True, load_s=1.0
    )
    assert "engine-only" in failed(states)
    found = {(one.role, one.arrived) for one in deciding}
    # The log's block came late, or the file system's own that says how long the log is now.
    assert found and found <= {("binlog", False), ("file system", False)}, "the block whose write came late"


def test_torn_pages_without_doublewrite_are_called(sandbox_root):
    more = {"load_s": 1.5, "settings": settings(1, 1) | PAGES | {"innodb_doublewrite": "OFF"}}
    states, _ = of_one_way(sandbox_root, "within a flush of pages", 8, until="stays-down", **more)
    assert "stays-down" in failed(states)


def test_torn_pages_with_doublewrite_are_repaired(sandbox_root):
    states, _ = of_one_way(sandbox_root, "within a flush of pages", 8, load_s=1.5, settings=settings(1, 1) | PAGES)
    assert states and {state.verdict for state in states} == {"valid"}


class Swallowing(Wider):
    """Its server's flushes succeed and reach nothing, as under eatmydata."""

    def _preloaded(self, preload):
        return str(self.more[0])


def test_flushes_that_are_swallowed_above_the_file_system_are_called(sandbox_root):
    """The disk is honest, and is never asked to flush the logs."""
    library = sandbox_root / "swallow_fsync.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    library.chmod(0o755)
    states, _ = of_one_way(
        sandbox_root, "after a flush", 4, until="lost-engine", load_s=1.5, build=Swallowing.of_the_system(library)
    )
    bad = failed(states)
    assert {"lost-engine", "lost-binlog"} & bad, [state.checks for state in states]


def at_2_1(sandbox_root, timeout_s, **more):
    """The redo log is flushed once in this time."""
    asked = settings(2, 1) | {"innodb_flush_log_at_timeout": str(timeout_s)}
    states, deciding = of_one_way(
        sandbox_root, "after a flush", 4, until="lost-engine", load_s=2.5, settings=asked, **more
    )
    assert "lost-engine" in failed(states)
    return [(one.checks, one.path, one.role, one.later_s) for one in deciding]


def test_the_block_of_the_redo_log_is_named_that_a_much_later_flush_wrote(sandbox_root):
    [(checks, path, role, later_s)] = at_2_1(sandbox_root, 1, before_s=1.2)  # a flush comes after it
    assert (checks, path, role) == (("lost-engine",), "data/ib_logfile0", "redo") and 0 < later_s < 2.5


def test_where_no_flush_wrote_the_redo_log_no_block_is_named(sandbox_root):
    """Later than the first flush of InnoDB (`tests.real.trials.forgetful`)."""
    assert at_2_1(sandbox_root, 1000, rest_s=2 * FIRST_FLUSH_S) == []
