"""The comparison of our reader with a server (tests/bench/option_files/compared.py) tells a disagreement."""

import pytest

from tests.bench.option_files.asked import Answer
from tests.bench.option_files.compared import disagreements, ours
from workers.sandbox.builds.build import Build
from workers.sandbox.builds.layout import Layout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[mysqld]\n[mysqld1]\ninnodb_support_xa=0\n", []),
        ("[mysqld]\ninnodb_support_xa=0\n", ["innodb_support_xa: server 'ON', ours 'OFF'"]),
    ],
)
def test_what_our_reader_leaves_open_is_no_disagreement_and_another_value_is(tmp_path, text, told):
    build = Build("b", "", "mysql", (5, 6, 14), Layout(tmp_path / "bin/mysqld"))
    found = ours(text.encode(), build, tmp_path / "my.cnf")
    wanted = Answer("", {"innodb_support_xa": "ON"})
    assert [one for one in disagreements(build, wanted, found, b"", was_started=True) if "xa" in one] == told
