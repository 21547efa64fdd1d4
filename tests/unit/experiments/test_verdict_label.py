import pytest

from dashboard.records.experiments.verdict_label import replica_stopped, verdict_label


@pytest.mark.parametrize(
    ("verdict", "lost", "label"),
    [
        ("valid", (0, 0, None), "nothing lost"),
        ("invalid", (0, 3, None), "commits lost"),
        ("invalid", (0, 0, 2), "commits lost"),
        ("invalid", (0, 0, 0), "another failure"),
        ("invalid", (None, None, None), "another failure"),
        ("unknown", (5, 0, 0), "unclear"),
        ("", (None, None, None), ""),
    ],
)
def test_a_verdict_is_told_by_what_was_lost(verdict, lost, label):
    assert verdict_label(verdict, lost) == label


@pytest.mark.parametrize(
    ("verdict", "lost", "phantoms", "label"),
    [
        ("invalid", (0, None, None), 3, "commits read, then lost"),
        ("invalid", (2, None, None), 3, "commits lost"),
        ("invalid", (0, None, None), 0, "another failure"),
        ("valid", (0, None, None), 0, "nothing lost"),
    ],
)
def test_commits_that_were_only_read_before_they_were_lost_have_words_of_their_own(verdict, lost, phantoms, label):
    assert verdict_label(verdict, lost, phantoms) == label


@pytest.mark.parametrize(
    ("kind", "verdict", "lacks", "stopped"),
    [
        ("replica-kill", "valid", None, True),
        ("kill:replica1+replica2", "valid", None, True),
        ("replica-kill", "valid", 0, False),
        ("permanent-loss:replica1", "valid", None, False),
        ("replica-kill", "unknown", None, False),
        ("primary-kill", "valid", None, False),
        ("process-kill", "valid", None, False),
    ],
)
def test_a_replica_that_stopped_with_an_error_is_not_told_as_all_well(kind, verdict, lacks, stopped):
    assert replica_stopped(kind, verdict, lacks) is stopped
    if verdict == "valid":
        label = verdict_label(verdict, (0, None, lacks), stopped=stopped)
        assert label == ("replica stopped" if stopped else "nothing lost")
