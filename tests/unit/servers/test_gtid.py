"""GTID positions and sets: read, compared, and which GTIDs were given out twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.servers import gtid

SOURCE = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


def test_a_position_of_mariadb_is_read():
    assert gtid.parse("0-1-100,1-2-5") == {"0": ((1, 100),), "1": ((1, 5),)}


def test_a_state_with_several_servers_in_a_domain_is_read():
    assert gtid.parse("0-1-100,0-2-90") == {"0": ((1, 100),)}


def test_a_set_of_mysql_is_read():
    assert gtid.parse(f"{SOURCE.upper()}:1-5:7:\n 8-9") == {SOURCE: ((1, 5), (7, 9))}
    assert gtid.parse(f"{SOURCE}:1-5:mine:1-3") == {SOURCE: ((1, 5),), f"{SOURCE}:mine": ((1, 3),)}


def test_an_empty_text_holds_no_gtids():
    assert gtid.parse("") == gtid.parse(" ") == {}


@pytest.mark.parametrize(
    "wrong", ["0-1", "x-1-2", "0-1-0", SOURCE, f"{SOURCE}:", f"{SOURCE}:5-1", f"{SOURCE}:0", f"{SOURCE}:0:5", "binlog"]
)
def test_a_text_that_is_no_gtid_is_refused(wrong):
    with pytest.raises(gtid.NotGtids):
        gtid.parse(wrong)


def test_gtids_that_will_be_given_out_again_are_told():
    lost = gtid.minus(gtid.parse("0-1-103,1-2-5"), gtid.parse("0-1-100,1-2-5"))
    assert (lost, gtid.count(lost)) == ({"0": ((101, 103),)}, 3)
    assert gtid.minus(gtid.parse("0-1-100"), gtid.parse("0-1-100")) == {}
    assert gtid.minus(gtid.parse("0-1-2"), {}) == {"0": ((1, 2),)}


def test_a_set_is_subtracted_from_the_middle_of_another():
    lost = gtid.minus(gtid.parse(f"{SOURCE}:1-9"), gtid.parse(f"{SOURCE}:3-4:8"))
    assert lost == {SOURCE: ((1, 2), (5, 7), (9, 9))}


numbers = st.sets(st.integers(1, 40), max_size=30)


@given(numbers, numbers)
def test_gtids_are_subtracted_like_sets(these, those):
    left = gtid.minus(as_gtids(these), as_gtids(those))
    assert members(left) == these - those
    assert gtid.count(left) == len(these - those)
    assert as_gtids(these - those) == left


def as_gtids(some):
    return gtid.parse(",".join(f"{SOURCE}:{number}" for number in some))


def members(gtids):
    return {number for intervals in gtids.values() for first, last in intervals for number in range(first, last + 1)}


def test_gtids_that_were_given_to_other_transactions_are_named():
    before = {"0-1-1": 11, "0-1-2": 12, "0-1-3": 13}
    after = {"0-1-1": 11, "0-1-3": 77, "0-1-2": 78, "0-1-4": 14}
    assert gtid.reissued(before, after) == ("0-1-3", "0-1-2")


def test_no_gtid_is_reissued_where_the_server_went_on_counting():
    assert gtid.reissued({"0-1-1": 11}, {"0-1-1": 11, "0-1-2": 12}) == ()
    assert gtid.reissued({}, {"0-1-1": 11}) == ()


@pytest.mark.parametrize("interval", ["0", "0-5", "5-4"])
def test_an_interval_begins_at_one_and_does_not_end_before_it_begins(interval):
    with pytest.raises(gtid.NotGtids, match="an invalid interval"):
        gtid.parse(f"00010203-0405-0607-0809-0a0b0c0d0e0f:{interval}")


def test_gtids_are_told_as_intervals_of_their_source():
    assert gtid.in_words(gtid.parse(f"{SOURCE}:1-3:7,{SOURCE}:tag:2")) == f"{SOURCE}:1-3, {SOURCE}:7, {SOURCE}:tag:2"
    assert gtid.in_words({"0": ((8, 9),), "3": ((2, 2),)}) == "domain 0: 8-9, domain 3: 2"
    assert gtid.in_words({}) == ""
