"""Every crash kind and fault has a place and a plural on pages without a word of its own."""

import pytest

from dashboard.records.experiments.kind_names import FIRST, MUST_HOLD, MUST_LOSE, ORDER, in_order, number_of, plural
from workers.bench.plan import CONTROLS
from workers.bench.trial_kinds import TRIAL_KINDS


@pytest.mark.parametrize(
    ("kind", "several"),
    [
        ("process-kill", "process kills"),
        ("torn-power-loss", "torn power losses"),
        ("replica-power-loss", "replica power losses"),
        ("primary-host-loss", "losses of the primary's host"),
        ("attached-expendable", "crashes by the owner's command"),
        ("every-crash-point", "loads with crash points"),
        ("from-tomorrow", "from tomorrows"),
        ("power-loss:primary+replica2", "power losses of primary and replica 2"),
    ],
)
def test_many_crashes_have_a_name(kind, several):
    assert plural(kind) == several
    assert number_of(kind, 30) == f"30 {several}"


def test_no_two_kinds_have_one_name():
    """A kind that is made from another one inherits its word."""
    assert len({plural(kind) for kind in TRIAL_KINDS}) == len(TRIAL_KINDS)


def test_one_loss_of_the_majority_has_a_singular_name():
    assert number_of("majority-lost", 1) == "1 loss of the majority" and number_of("total-kill", 1) == "1 total kill"


def test_every_kind_has_its_place_and_controls_come_last():
    assert set(ORDER) == set(TRIAL_KINDS)
    assert in_order([*CONTROLS, "of another version", FIRST, "process-kill", FIRST]) == [
        "process-kill", FIRST, "of another version", *CONTROLS,
    ]  # fmt: skip


def test_a_control_that_must_lose_comes_before_those_that_must_hold():
    """The self-test of one server, then that of a failover."""
    assert CONTROLS == ("lying-disk", "graceful-restart", "asynchronous-link", "switchover", "no-fault")
    assert MUST_LOSE == ("lying-disk", "asynchronous-link")
    assert MUST_HOLD == ("graceful-restart", "switchover", "no-fault")
