"""Plain values of a server's answers, whatever the driver makes of them."""

from decimal import Decimal

import pytest

from tests.unit.servers.played import Played
from workers.errors import ServerError
from workers.servers import ask


@pytest.mark.parametrize("field", [7, "7", Decimal("7")])
def test_a_number_is_read_in_each_form(field):
    assert ask.integer(field) == 7


@pytest.mark.parametrize(
    "field", [None, b"7", 7.5, "OFF", Decimal("Infinity"), Decimal("NaN"), "9" * 66, Decimal("1E99999999")]
)
def test_something_else_in_the_place_of_a_number_is_refused(field):
    with pytest.raises(ServerError, match="instead of a number"):
        ask.integer(field)


def test_the_largest_sum_of_a_server_is_a_number():
    """The negative control: SUM() of a DECIMAL(65)."""
    assert ask.integer(Decimal("9" * 65)) == ask.integer("9" * 65) == int("9" * 65)


def test_a_sentence_quotes_the_beginning_of_a_long_answer():
    with pytest.raises(ServerError) as refused:
        ask.integer("x" * (1 << 20))
    assert len(refused.value.message) < 200


@pytest.mark.parametrize("text", [None, "", "many", "10.5", "-1", "1" * 21, "1" * 5000])
def test_a_text_that_is_no_number_of_a_server_is_unknown(text):
    assert ask.whole(text) is None
    assert ask.whole(str(2**64 - 1)) == 2**64 - 1


def test_rows_have_the_names_of_their_columns():
    server = Played({"SHOW": [(b"binlog.000001", 4), (b"binlog.000002", 5)]})
    server.description = (("File", 253), ("Position", 8))
    assert ask.first_row(server, "SHOW MASTER STATUS") == {"File": b"binlog.000001", "Position": 4}
    assert ask.value(server, "SHOW MASTER STATUS") == b"binlog.000001"
    assert ask.text(server, "SHOW MASTER STATUS") == "binlog.000001"


def test_without_a_row_there_is_no_value():
    server = Played({"SHOW": []})
    assert (ask.first_row(server, "SHOW"), ask.value(server, "SHOW"), ask.text(server, "SHOW")) == ({}, None, "")
