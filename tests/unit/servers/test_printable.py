"""What a server calls itself is stored with an end and without control characters, and read so."""

from hypothesis import given
from hypothesis import strategies as st

from workers.servers.printable import MOST_CHARS, bounded, printable, sentence, storable

ESCAPES = "10.11\x1b[31m\r\nINFO forged\u202e\ud800"


def test_no_control_character_stays():
    assert printable(ESCAPES) == "10.11\ufffd[31m\ufffd\ufffdINFO forged\ufffd\ufffd"
    assert printable("Käse, 1\N{NO-BREAK SPACE}GiB") == "Käse, 1\N{NO-BREAK SPACE}GiB"


def test_a_value_has_an_end_that_tells_its_length():
    assert bounded("x" * MOST_CHARS) == "x" * MOST_CHARS
    assert bounded("x" * (13 << 20)) == "x" * MOST_CHARS + "… (13,631,488 characters)"
    assert sentence("SET GLOBAL a = 1;\n" * 20) == "SET GLOBAL a = 1;\n" * 20


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.dictionaries(st.text(), inner)))
def test_whatever_is_stored_is_the_same_when_it_is_stored_again(value):
    assert storable(storable(value)) == storable(value)


def test_lists_have_an_end_and_numbers_stay():
    found = storable({"peers": ("a",) * 50_000, "free": 2**63, "none": None, ESCAPES: 1.5})
    assert len(found["peers"]) == 10_000 and found["free"] == 2**63 and found["none"] is None
    assert "\x1b" not in "".join(found)
