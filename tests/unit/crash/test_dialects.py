"""Which servers can have a replica, and in which words they are told to follow."""

from types import SimpleNamespace

import pytest

from workers.crash import dialects
from workers.errors import PlanError

(MARIADB,), (OLD, NEW) = dialects.DIALECTS["mariadb"], dialects.DIALECTS["mysql"]


def build(flavour, *version):
    return SimpleNamespace(flavour=flavour, version=version, title=f"{flavour} {version}")


@pytest.mark.parametrize(
    ("flavour", "version", "dialect"),
    [
        ("mariadb", (10, 1, 3), MARIADB),
        ("mariadb", (12, 0, 0), MARIADB),
        ("mysql", (5, 6, 9), OLD),
        ("mysql", (8, 0, 25), OLD),
        ("mysql", (8, 0, 26), NEW),
        ("mysql", (9, 7, 0), NEW),
    ],
)
def test_a_build_speaks_the_newest_dialect_that_it_knows(flavour, version, dialect):
    assert dialects.of(build(flavour, *version)) is dialect


@pytest.mark.parametrize(
    ("flavour", "version", "first"), [("mariadb", (10, 1, 2), "10.1.3"), ("mysql", (5, 6, 8), "5.6.9")]
)
def test_a_build_without_gtids_cannot_have_a_replica(flavour, version, first):
    with pytest.raises(PlanError, match=f"cannot have a replica here: .* only from version {first} on"):
        dialects.of(build(flavour, *version))


@pytest.mark.parametrize(
    ("said", "oldest"),
    [("10", (10, 0, 0)), ("10.5", (10, 5, 0)), ("10.5.9", (10, 5, 9)), ((8, 4, 1), (8, 4, 1)), (None, None)],
)
def test_a_series_is_as_old_as_it_can_be(said, oldest):
    assert dialects._version(said) == oldest


def test_of_builds_that_are_known_it_is_told_before_they_are_run():
    known = {
        "run": build("mysql", 5, 5, 62),
        "new": build("mysql", 8, 4, 0),
        "series": SimpleNamespace(flavour="mariadb", version="5.5"),
        "one": SimpleNamespace(flavour="mariadb", version="10"),
        "whole": SimpleNamespace(flavour="mariadb", version="10.1.3"),
        "newer": SimpleNamespace(flavour="mariadb", version="10.2"),
        "unsaid": SimpleNamespace(flavour="mysql", version=None),
        "nothing": SimpleNamespace(flavour="mysql"),
    }
    assert set(dialects.missing_of(known)) == {"run", "series", "one"}


@pytest.mark.parametrize(("dialect", "column"), [(OLD, "Slave_IO_Running"), (NEW, "Replica_IO_Running")])
def test_a_dialect_has_its_own_words(dialect, column):
    assert dialect.column("IO_Running") == column
    assert "REPLICATION SLAVE" in dialect.account_sql.upper()
    assert f"START {dialect.word}" in dialect.point_sql.upper()


def test_a_follower_never_gives_up_its_source():
    """MySQL 8.4 and later stops after 10 attempts, of one second each here. A recovery may take longer."""
    assert "SOURCE_RETRY_COUNT = 86400" in NEW.point_sql


def test_only_mariadb_is_told_to_go_on_from_what_it_wrote():
    assert [(one.demote, one.own) for one in (OLD, NEW)] == [("", "SELECT @@GLOBAL.server_uuid")] * 2
    assert [(one.demote, one.own) for one in [MARIADB]] == [("SET GLOBAL gtid_slave_pos = %s", "")]
