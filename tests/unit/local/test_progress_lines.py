"""Lines of progress of the demo and of `manage.py experiment run`."""

from dashboard.local import progress
from dashboard.local.progress import ProgressLines


def now(done=0, total=24, cell=None, activity="", left_s=None, failed=0, least=False):
    left = {"left_s": left_s, "left_is_least": least}
    return {"done": done, "failed": failed, "total": total, "cell": cell, "activity": activity, **left}


CELL = {"variant": "2/1", "threads": 8}


def test_a_line_is_printed_only_when_something_else_is_measured():
    said = []
    printed = ProgressLines(said.append)
    for left_s in (130, 129, 128):
        printed.tell(now(1, cell=CELL, left_s=left_s))
    printed.tell(now(2, activity="putting everything back"))
    assert said == ["1/24  2/1, 8 threads  about 2:10 min left", "2/24  putting everything back"]


def test_a_time_that_nothing_was_measured_for_is_the_least():
    assert progress.left(now(left_s=191, least=True)) == "at least 3:11 min left"


def test_a_trial_is_named_by_its_crash():
    trial = {"variant": "0/0", "workload": "crash: power loss", "repeat": 2}
    assert progress.where(now(cell=trial)) == "0/0, crash: power loss, trial 2"


def test_one_thread_is_written_in_the_singular():
    assert progress.where(now(cell={**CELL, "threads": 1})) == "2/1, 1 thread"


def test_failed_cells_count_as_ended():
    said = []
    ProgressLines(said.append).tell(now(done=12, failed=12))
    assert said == ["24/24"]
