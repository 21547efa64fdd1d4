"""What a server says about replication, in the words of each version. The server's answers are made up."""

from types import SimpleNamespace

import pytest

from workers.errors import ServerError
from workers.servers import ask, replication
from workers.servers.replication import Peer

MYSQL_OLD = {
    "Master_Host": "db1", "Master_Port": 3306, "Master_Server_Id": 7, "Master_UUID": "u1", "Slave_IO_Running": "Yes",
    "Slave_SQL_Running": "Yes", "Auto_Position": 1, "Last_IO_Error": "", "Last_SQL_Error": "",
}  # fmt: skip
MARIADB = {
    **MYSQL_OLD,
    "Slave_SQL_Running": "No",
    "Last_SQL_Error": "duplicate key",
    "Auto_Position": "",
    "Using_Gtid": "No",
}


def read(monkeypatch, flavour, version, answers, status=None, **variables):
    """`answers`: statement -> rows, or the error; others are refused."""

    def rows(connection, sql):
        found = answers.get(sql, ServerError(f"{sql} was not expected.", "Ask for less."))
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(ask, "named_rows", rows)
    monkeypatch.setattr(ask, "names_to_values", lambda connection, sql: status or {})
    facts = SimpleNamespace(flavour=flavour, version=version, variables=variables, variable=variables.get)
    return replication.read(None, facts)


@pytest.mark.parametrize(
    ("flavour", "version", "sources", "replicas"),
    [
        ("mariadb", (10, 0, 0), "SHOW ALL SLAVES STATUS", "SHOW SLAVE HOSTS"),
        ("mariadb", (5, 5, 68), "SHOW SLAVE STATUS", "SHOW SLAVE HOSTS"),
        ("mysql", (8, 0, 22), "SHOW REPLICA STATUS", "SHOW REPLICAS"),
        ("mysql", (8, 0, 21), "SHOW SLAVE STATUS", "SHOW SLAVE HOSTS"),
    ],
)
def test_the_server_is_asked_in_the_words_of_its_version(monkeypatch, flavour, version, sources, replicas):
    host = {"Server_id": 8, "Host": "db2", "Port": 3307, "Slave_UUID": "u2"}
    found = read(monkeypatch, flavour, version, {sources: [MYSQL_OLD], replicas: [host]}, server_id="7", port="3306")
    assert found.sources == (Peer("db1", 3306, 7, "u1", "follows", "", True),)
    assert found.replicas == (Peer("db2", 3307, 8, "u2", by_gtid=False),)
    assert (found.members, found.unread, found.server_id, found.port) == ((), (), 7, 3306)


@pytest.mark.parametrize(("using", "by_gtid"), [("No", False), ("", False), ("Slave_Pos", True)])
def test_a_source_that_is_not_followed_says_why(monkeypatch, using, by_gtid):
    answers = {"SHOW ALL SLAVES STATUS": [{**MARIADB, "Using_Gtid": using}], "SHOW SLAVE HOSTS": []}
    [source] = read(monkeypatch, "mariadb", (10, 11, 0), answers).sources
    assert (source.state, source.error, source.by_gtid) == ("does not follow", "duplicate key", by_gtid)
    without = {name: value for name, value in MARIADB.items() if name != "Master_UUID"}
    [source] = read(monkeypatch, "mariadb", (10, 11, 0), {**answers, "SHOW ALL SLAVES STATUS": [without]}).sources
    assert source.uuid == "", "a server of MariaDB has none"


def test_members_of_a_group_are_asked_for_only_in_a_group(monkeypatch):
    row = {
        "MEMBER_HOST": "db3", "MEMBER_PORT": 3306, "MEMBER_ID": "u3", "MEMBER_STATE": "ONLINE",
        "MEMBER_ROLE": "PRIMARY",
    }  # fmt: skip
    answers = {"SHOW REPLICA STATUS": [], "SHOW REPLICAS": [], replication.MEMBERS: [row]}
    found = read(monkeypatch, "mysql", (8, 4, 0), answers, group_replication_group_name="g")
    assert found.members == (Peer("db3", 3306, uuid="u3", state="ONLINE", role="primary"),)


def test_a_part_that_is_refused_is_unknown_and_the_rest_is_known(monkeypatch):
    found = read(monkeypatch, "mysql", (8, 4, 0), {"SHOW REPLICAS": []}, server_id="none")
    assert (found.sources, found.replicas, found.server_id) == (None, (), 0)
    assert found.unread == ("SHOW REPLICA STATUS: SHOW REPLICA STATUS was not expected. Ask for less.",)


def test_variables_and_status_have_the_newer_words_and_no_others_are_kept(monkeypatch):
    status = {"Rpl_semi_sync_master_clients": "2", "Uptime": "9"}
    answers = {"SHOW ALL SLAVES STATUS": [], "SHOW SLAVE HOSTS": []}
    assert read(monkeypatch, "mariadb", (10, 11, 0), answers, status).values == {"rpl_semi_sync_source_clients": "2"}


def test_replicas_without_an_address_are_looked_for_among_the_connections(monkeypatch):
    nameless = {"Server_id": 8, "Host": "", "Port": 3307, "Slave_UUID": "u2"}
    answers = {
        "SHOW REPLICA STATUS": [], "SHOW REPLICAS": [nameless],
        replication.DUMPS: [{"host": "192.0.2.2:51234"}, {"host": "192.0.2.2:51236"}, {"HOST": "db3"}],
    }  # fmt: skip
    found = read(monkeypatch, "mysql", (8, 4, 0), answers)
    assert found.dump_hosts == ("192.0.2.2", "db3") and found.unread == ()
    answers["SHOW REPLICAS"] = [nameless, {**nameless, "Host": "db2"}]
    assert read(monkeypatch, "mysql", (8, 4, 0), answers).dump_hosts == found.dump_hosts, "one of two has a name"
    answers["SHOW REPLICAS"] = [{**nameless, "Host": "db2"}]
    assert read(monkeypatch, "mysql", (8, 4, 0), answers).dump_hosts == ()
