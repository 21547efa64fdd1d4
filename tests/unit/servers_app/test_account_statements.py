"""The GRANTs that pages show."""

from dashboard.records.servers.account import RANGES, statements
from dashboard.records.servers.models import Server
from workers.servers.answered import AnsweredFacts
from workers.servers.flavours import FLAVOURS


def test_each_range_of_versions_with_other_privileges_is_shown_once():
    for flavour, known in FLAVOURS.items():
        wanted = [need for need in known.needs if need.purpose in ("look", "load", "change")]
        bounds = {need.since for need in wanted} | {need.before for need in wanted} - {(999, 0, 0)}
        shown = {_privileges(wanted, one) for key, one in RANGES.values() if key == flavour}
        assert shown == {_privileges(wanted, one) for one in bounds}


def _privileges(wanted, version):
    return frozenset((need.privilege, need.scope) for need in wanted if need.applies_to(version))


def test_a_known_server_gets_its_own_statements_only():
    server = Server(name="db", user="o'brien", socket="/run/x.sock")
    (one,) = statements(server, AnsweredFacts("mysql", "8.0.33"))
    assert one.title == "MySQL 8.0.33"
    assert "'o''brien'@'localhost'" in one.sql
    assert "SUPER" not in one.sql


def test_an_account_of_a_managed_server_gets_no_right_to_change_settings():
    facts = AnsweredFacts("mysql", "8.0.33")
    (own,), (managed,) = statements(None, facts), statements(None, facts, managed=True)
    (change,) = set(own.sql.splitlines()) - set(managed.sql.splitlines())
    assert change == "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO 'durascope'@'%';"


def test_an_unreadable_version_gets_the_statements_of_all_ranges():
    assert [one.title for one in statements(None, AnsweredFacts("mysql", "none"))] == list(RANGES)


def test_an_unknown_server_gets_the_statements_of_all_ranges():
    assert [one.title for one in statements()] == list(RANGES)
    assert len({one.sql for one in statements()}) == len(RANGES) - 1, "old MariaDB and old MySQL agree"
    assert all("GRANT " in one.sql and "'durascope'@'%'" in one.sql for one in statements())
