"""The small histories: what they write can be told apart."""

import re
from collections import defaultdict

import pytest

from workers.crash.points.histories import HISTORIES


@pytest.mark.parametrize("history", HISTORIES, ids=lambda one: one.title)
def test_a_history_numbers_the_rows_of_each_table_from_1(history):
    """A row that were inserted twice would be refused, and its statement would be no commit."""
    ids, renamed = defaultdict(list), {}
    for statement in (*(one for _, one in history.steps), *(one.statement for one in history.at_once)):
        if rename := re.fullmatch(r"RENAME TABLE (\w+) TO (\w+)", statement):
            renamed[rename[2]] = renamed.get(rename[1], rename[1])
        if insert := re.match(r"INSERT INTO (\w+)", statement):
            ids[renamed.get(insert[1], insert[1])] += [int(one) for one in re.findall(r"\((\d+),", statement)]
    assert ids and all(found == list(range(1, len(found) + 1)) for found in ids.values())


@pytest.mark.parametrize("history", HISTORIES, ids=lambda one: one.title)
def test_statements_at_once_leave_the_text_that_tells_them_apart(history):
    """Their rows, or those that their transactions had inserted before."""
    assert all(
        any(client == one.client and one.wrote in statement for client, statement in history.steps)
        or one.wrote in one.statement
        for one in history.at_once
    )
