"""Versions become comparable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.servers.look import version_of


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("10.11.19-MariaDB-0+deb12u1-log", (10, 11, 19)),
        ("5.5.5-10.4.1-MariaDB", (10, 4, 1)),
        ("5.5.9-log", (5, 5, 9)),
        ("8.0.33", (8, 0, 33)),
        ("9.7", (9, 7, 0)),
        ("nonsense", (0, 0, 0)),
    ],
)
def test_versions_are_read(text, version):
    assert version_of(text) == version


@given(st.text())
def test_any_text_is_read_as_some_version(text):
    assert len(version_of(text)) == 3
