"""What is odd in a binlog is counted, and the first of it is named."""

from workers.crash.evidence import NOTHING_ODD, Oddities, OddityNotes


def test_ten_are_named_and_all_are_counted():
    noted = OddityNotes()
    for n in range(11):
        noted.add(str(n))
    ten = tuple("0123456789")
    assert noted.all() == Oddities(11, ten)
    assert noted.all() + Oddities(2, ("more",)) == Oddities(13, ten)
    assert NOTHING_ODD + Oddities(2, ("more",)) == Oddities(2, ("more",))
    assert not NOTHING_ODD and Oddities(1)
