import pytest

from dashboard.records.experiments.verdict_label import verdict_label


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
