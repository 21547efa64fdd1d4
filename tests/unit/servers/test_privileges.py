"""What an account may do, read from the grants that servers print."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.servers.played import Played
from workers.servers.facts import Facts
from workers.servers.flavours import needs
from workers.servers.privileges import granted, like, missing, parse

MARIADB = Facts("mariadb", (10, 11, 19), "10.11.19-MariaDB", {}, {})
MYSQL = Facts("mysql", (8, 0, 33), "8.0.33", {}, {})
OUR_ALL = r"GRANT ALL PRIVILEGES ON `durascope\_%`.* TO `t`@`localhost`"


def lacking(facts, *lines):
    return [need.privilege for need in missing(needs(facts), parse(lines))]


def test_all_privileges_lack_nothing():
    assert lacking(MARIADB, "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION") == []


def test_all_that_an_empty_account_lacks_is_named():
    assert lacking(MYSQL, "GRANT USAGE ON *.* TO `t`@`localhost`") == [
        "PROCESS",
        "REPLICATION CLIENT",
        "REPLICATION SLAVE",
        "SELECT",
        "ALL PRIVILEGES",
        "SYSTEM_VARIABLES_ADMIN",
    ]


def test_grants_of_several_lines_add_up():
    assert (
        lacking(
            MYSQL,
            "GRANT PROCESS, REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO `t`@`%`",
            "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO `t`@`%`",
            "GRANT SELECT ON `performance_schema`.* TO `t`@`%`",
            OUR_ALL.replace("\\_", "\\\\_"),
        )
        == []
    )


@pytest.mark.parametrize("scope", [r"`durascope\_%`.*", "`durascope_%`.*", "`%`.*", "`dura%`.*"])
def test_any_pattern_that_covers_our_schemas_is_enough(scope):
    assert "ALL PRIVILEGES" not in lacking(MYSQL, f"GRANT ALL PRIVILEGES ON {scope} TO `t`@`%`")


@pytest.mark.parametrize("scope", ["`shop`.*", r"`durascope\_`.*", "`durascope`.*", "`durascope_x`.`t`"])
def test_a_pattern_that_does_not_cover_our_schemas_is_not_enough(scope):
    assert "ALL PRIVILEGES" in lacking(MYSQL, f"GRANT ALL PRIVILEGES ON {scope} TO `t`@`%`")


@pytest.mark.parametrize("scope", ["%" * 30 + "x", "%a" * 60, "_%" * 100, "%" * (1 << 20)])
def test_a_grant_on_a_run_of_wildcards_is_answered(scope):
    """A regular expression of thirty `%` takes longer than anybody waits, and nothing interrupts it."""
    assert "ALL PRIVILEGES" in lacking(MYSQL, f"GRANT ALL PRIVILEGES ON `{scope}`.* TO `t`@`%`")


@given(st.text("ab%_\\", max_size=12), st.text("ab", max_size=8))
def test_patterns_are_read_as_regular_expressions_read_them(pattern, text):
    parts = re.findall(r"\\.|.", pattern)
    expression = "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1:])) for part in parts)
    assert like(pattern, text) == (re.fullmatch(expression, text) is not None)


def test_the_single_privileges_of_a_load_are_enough():
    listed = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER"
    assert "ALL PRIVILEGES" not in lacking(MYSQL, rf"GRANT {listed} ON `durascope\_%`.* TO `t`@`%`")
    assert "ALL PRIVILEGES" in lacking(MYSQL, r"GRANT SELECT, INSERT ON `durascope\_%`.* TO `t`@`%`")


def test_privileges_that_super_includes_are_not_missing():
    line = "GRANT SUPER ON *.* TO `t`@`%`"
    assert "BINLOG ADMIN" not in lacking(MARIADB, line)
    assert "BINLOG ADMIN" in lacking(Facts("mariadb", (11, 4, 5), "11.4.5", {}, {}), line)
    assert "SYSTEM_VARIABLES_ADMIN" not in lacking(MYSQL, line)


def test_roles_and_proxies_are_ignored():
    assert parse(["GRANT `r`@`%` TO `t`@`%`", "GRANT PROXY ON ``@`%` TO `root`@`localhost`"]) == {}


@given(st.lists(st.text()))
def test_any_text_is_read(lines):
    parse(lines)


@pytest.mark.parametrize(
    ("version", "role", "asked"),
    [
        ((8, 0, 0), "`dba`@`%`", "SHOW GRANTS FOR CURRENT_USER() USING `dba`@`%`"),
        ((8, 4, 0), "NONE", "SHOW GRANTS"),
        ((5, 7, 44), "`dba`@`%`", "SHOW GRANTS"),
    ],
)
def test_grants_of_active_roles_count(version, role, asked):
    """MySQL has roles since 8.0; its SHOW GRANTS alone leaves out theirs."""
    server = Played({"SELECT CURRENT_ROLE()": [(role,)], "SHOW GRANTS": [(b"GRANT PROCESS ON *.* TO `t`@`%`",)]})
    assert granted(server, Facts("mysql", version, "", {}, {})) == {"*.*": {"PROCESS"}}
    assert server.said[-1][0] == asked
