"""The ledger and the facts of an archived crash point come back as they were."""

from dataclasses import replace

import numpy as np
import pytest

from workers.crash.checks import run_checks
from workers.crash.evidence import Evidence
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.points.export.contents import PointFile, commit_lines, ledger_of, read_point
from workers.crash.points.export.recording import RecordingFacts, read_facts
from workers.crash.transactions import is_written, key
from workers.errors import SandboxError

SECRET = bytes(range(16))
LEDGER = Ledger(
    (
        ClientLedger(0, 3, np.array([0.1, 0.1 + 0.2, np.nan])),
        ClientLedger(2, 12, np.array([*np.linspace(0.1, 1, 10), np.nan, np.nan]), open_end=2),
        ClientLedger(7, 1, np.array([np.nan])),
    )
).sealed(SECRET)
POINT = PointFile(
    build="system-mariadb", settings={"log_bin": "ON"}, schema="s", secret=SECRET.hex(), first="binlog.000001",
    has_binlog=True, has_gtids=True, moment=7, keeps="torn", failed=("lost-engine", "torn"),
)  # fmt: skip


def test_the_ledger_comes_back():
    again = ledger_of(iter(list(commit_lines(LEDGER, SECRET))), SECRET)
    assert again.seal == LEDGER.seal and again.fault(SECRET) == ""
    assert again.acknowledged().tolist() == LEDGER.acknowledged().tolist()
    assert again.in_doubt().tolist() == LEDGER.in_doubt().tolist()


def test_each_line_is_a_row_that_the_client_writes():
    rows = [line.split() for line in commit_lines(LEDGER, SECRET) if not line.startswith("#")]
    places = {("one", "0"): 0, ("one", "1"): 1, ("one", "2"): 2, ("left_half", "0"): 3, ("right_half", "0"): 4}
    keys = np.array([key(int(client), int(n)) for _, client, n, *_ in rows])
    at = np.array([places[table, part] for table, _, _, part, *_ in rows])
    assert is_written(SECRET, keys, at, np.array([int(digest) for *_, digest, _ in rows])).all()
    assert len({tuple(row[:4]) for row in rows}) == len(rows) > len(LEDGER.sent())


def test_a_commit_that_was_removed_from_the_file_is_no_reliable_ledger():
    lines = [line for line in commit_lines(LEDGER, SECRET) if not line.startswith("one\t2\t5\t")]
    missing = ledger_of(iter(lines), SECRET)
    assert "without an answer" in missing.fault(SECRET)
    empty = Evidence(engine=None, binlog=None, secret=SECRET)
    assert {one.outcome for one in run_checks(missing, empty)} == {"unknown"}


@pytest.mark.parametrize("line", ["one\t0\n", "one\tx\t1\t0\t5\t0.1\n", "one\t0\t1\t0\t5\tsoon\n"])
def test_another_text_is_no_ledger(line):
    with pytest.raises(SandboxError, match="is damaged"):
        ledger_of(iter([line]), SECRET)


@pytest.mark.parametrize(
    ("point", "images"),
    [
        (POINT, ("disk.img",)),
        (replace(POINT, apart=("redo",)), ("disk.img", "logs.img")),
        (replace(POINT, replica={"server_id": "2"}), ("disk.img", "replica.img")),
    ],
)
def test_the_facts_come_back_and_name_the_images_of_the_disks(point, images):
    assert read_point(point.text()) == point and point.images == images


FACTS = RecordingFacts(point=POINT, disks=("data", "logs"), seed=7, points=40, began_s=12.5, margin_s=0.0)


def test_the_facts_of_a_recording_come_back():
    assert read_facts(FACTS.text()) == FACTS


@pytest.mark.parametrize("text", ["", "[]", '{"point": {}}', FACTS.text().replace("seed", "other")])
def test_the_facts_of_another_recording_version_are_refused(text):
    with pytest.raises(SandboxError, match=r"no recording of this version|no crash point of this version"):
        read_facts(text)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"failed": [], "other": 1}'])
def test_the_facts_of_another_crash_point_version_are_refused(text):
    with pytest.raises(SandboxError, match="no crash point of this version"):
        read_point(text)
