"""Checks that need the files of a server are named where it only sends its binary log."""

import pytest

from tests.unit.crash.case import all_well
from workers.crash.left_out import WITHOUT_FILES, notes

BOTH = {"binlog-rewritten", "gtid-reused"}


@pytest.mark.parametrize(
    ("files", "gtids", "left"),
    [(True, True, set()), (False, False, BOTH), (False, True, {"binlog-rewritten"})],
    ids=["files", "no files", "no files, and the log holds a GTID twice"],
)
def test_a_check_that_was_left_out_has_its_reason(files, gtids, left):
    found = notes(all_well(files_expected=files, gtids_expected=gtids), "")
    assert set(found.values()) == {WITHOUT_FILES[key] for key in left}
    assert all(name.startswith("left out: ") for name in found)


def test_on_a_managed_service_no_kill_was_tried():
    found = notes(all_well(files_expected=True), "Amazon RDS")
    assert list(found) == ["left out: Power loss and process kill"]
    assert "a server of Amazon RDS" in next(iter(found.values()))
