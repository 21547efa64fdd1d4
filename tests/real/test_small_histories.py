"""A small history, all of whose states are recovered."""

from tests.real.disks import needs_disk
from tests.real.trials import setup
from workers.crash.chain import PORTS, Begun
from workers.crash.kinds import CRASH_KINDS
from workers.crash.made import Made
from workers.crash.points.exhaust import exhaust
from workers.crash.points.histories import A, History, insert
from workers.crash.setup_and_result import Timeline

pytestmark = needs_disk


def every_state(root, history, flush_log=1, sync_binlog=1):
    asked = setup(root, "every-crash-point", flush_log, sync_binlog)
    timeline = Timeline(lambda step: None, lambda: False)
    with Made() as made:
        kind = CRASH_KINDS["every-crash-point"]
        return exhaust(
            Begun(setup=asked, kind=kind, settings=asked.settings, ports=PORTS, made=made, timeline=timeline), history
        )


def test_every_state_of_two_commits_recovers_right(sandbox_root):
    found = every_state(sandbox_root, History("two commits", ((A, insert("a", 1)), (A, insert("b", 1, 2)))))
    assert found.states > 4, "redo log and binlog are flushed for each commit"
    assert found.wrong == ()


def test_an_unflushed_binlog_recovers_wrong_in_some_state(sandbox_root):
    history = History("two commits", ((A, insert("a", 1)), (A, insert("a", 2))))
    found = every_state(sandbox_root, history, sync_binlog=0)
    assert found.wrong and all("transactions in the binlog instead of" in one.says for one in found.wrong)
