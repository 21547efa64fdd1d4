"""For tests: one recorded load whose states a test chooses itself, or whose recording it changes."""

import secrets
import time
from dataclasses import replace
from itertools import pairwise

from tests.real.trials import setup
from workers.crash.points.attempts import attempt_all
from workers.crash.points.export.write import archive_of
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.lane import lanes
from workers.crash.points.recorded import record
from workers.crash.points.shrink import Shrinker
from workers.crash.points.steps import maps_of
from workers.crash.points.violations import different, violations_of
from workers.crash.prepare import prepare, start
from workers.crash.run import run_trial
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.events import Kind
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointStates, of_one
from workers.sandbox.disk.recording.points import in_order
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.replay import ReplayDisk


def failed(states):
    return {one.key for state in states for one in state.checks if one.outcome == "invalid"}


def of_one_way(root, way, most, change=lambda load: load, rest_s=0.0, until="", before_s=60.0, decided=False, **more):
    """The states of the crash points that were chosen in that way, and the blocks that decide. `change` replaces the
    recording; `rest_s`: between the start of the server and the load; `until`: a check, none is tried after it failed;
    `before_s`: of the load, later crash points are not tried; `decided`: more are tried until one block decides one."""
    found, deciding = [], []
    asked = setup(root, "every-crash-point", **more)

    def steps(begun):
        prepared = prepare(start(begun))
        time.sleep(rest_s)
        yield (load := change(record(prepared)))
        ready, judge = lanes(load, joint := JointStates([States(load.recording)])), StateJudge(load)
        (files,) = maps_of(ready[0])
        every = in_order(joint.disks[0], files.role, load.setup.seed)
        of_the_way = [of_one(one) for one in every if one.way == way]
        chosen = [one for one in of_the_way if load.at_s(one.state.until_ns - 1) < before_s][:most]
        tried = []
        shrinker = Shrinker(judge, ready[0], [files])

        def examine(violations):
            deciding.extend(block for _, block in shrinker.all(violations) if block)

        while chosen and not (until in failed(state for state, _ in tried) and (deciding or not decided)):
            some, chosen = chosen[: len(ready)], chosen[len(ready) :]
            attempts = attempt_all(load.timeline, ready, some, lambda lane, one: (judge.attempt(lane, one), one))
            assert not attempts.unmade, attempts.why
            tried += attempts.tried
            if decided:
                examine(violations_of(attempts.tried)[:1])
        tried.sort(key=lambda one: one[0].in_time)
        found.extend(state for state, _ in tried)
        if not decided:
            examine(different(violations_of(tried))[:2])

    result = run_trial(asked, lambda step: None, lambda: False, steps=steps)
    assert not result.error, result.error
    return found, deciding


def exported_passing_point(root):
    """The archive of a crash point at 1/1 that passed and has acknowledged commits."""
    archives = []

    def steps(begun):
        yield (load := record(prepare(start(begun))))
        states = JointStates([States(load.recording)])
        ready, judge = lanes(load, states), StateJudge(load)
        (files,) = maps_of(ready[0])
        late = [of_one(one) for one in in_order(states.disks[0], files.role, 7) if one.new][-4:]
        for choice in reversed(late):
            tried = judge.attempt(ready[0], choice)
            if tried.verdict == "valid" and tried.acknowledged:
                archives.append(archive_of(load, states, tried, choice.state)[0])
                break

    result = run_trial(setup(root, "every-crash-point", load_s=0.4), lambda step: None, lambda: False, steps=steps)
    assert archives and not result.error, result.error
    return archives[0]


def with_late_binlog(load):
    """Each flush of the binlog trades its writes with the flush of redo log after it, as if the server wrote the binlog
    after the engine's commit."""
    states = States(load.recording)
    folder = load.setup.root.absolute() / "live" / f"disk-{secrets.token_hex(4)}"
    with ReplayDisk.replay(folder, load.recording) as disk:
        role = FileMap.of(states, disk).role
    events = list(load.recording.events)
    begins = [0, *(began for began, _ in states.flushes)]
    logs = [_logs(events, role, window) for window in pairwise(begins)]
    window = 0
    while window < len(logs):
        later = next((n for n in range(window + 1, len(logs)) if "redo" in logs[n].values()), None)
        if "binlog" not in logs[window].values() or later is None:
            window += 1
            continue
        _put_off(events, {number: log for one in logs[window : later + 1] for number, log in one.items()})
        window = later + 1
    return replace(load, recording=replace(load.recording, log=replace(load.recording.log, events=tuple(events))))


def _logs(events, role, window):
    """The writes of both logs between two flushes: number of the event -> which log."""
    known = {
        number: role(events[number].offset // BLOCK_BYTES) for number in range(*window) if is_write(events[number])
    }
    return {number: log for number, log in known.items() if log in ("redo", "binlog")}


def is_write(event):
    return event.kind is Kind.WRITE


def _put_off(events, logs):
    """The binlog's writes take the last places, and those of the redo log the first ones."""
    ordered = sorted(logs, key=lambda number: logs[number] == "binlog")
    moved = [replace(events[there], at_ns=events[here].at_ns) for here, there in zip(logs, ordered, strict=True)]
    for number, event in zip(logs, moved, strict=True):
        events[number] = event
