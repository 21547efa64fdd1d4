"""After a failover another server may answer at the same address."""

import pytest

from tests.unit.servers.played import Played
from workers.servers.identity import server_name

MARIADB = {"server_id": "1", "hostname": "db1", "port": "3306"}


def name(**variables):
    return server_name(Played({"SHOW GLOBAL VARIABLES WHERE variable_name IN ('server_uuid'": list(variables.items())}))


def test_a_mysql_server_is_known_by_its_uuid_alone():
    assert name(server_uuid="a", **MARIADB) == name(server_uuid="a", **{**MARIADB, "hostname": "renamed"})
    assert name(server_uuid="a", **MARIADB) != name(server_uuid="b", **MARIADB)


@pytest.mark.parametrize("other", [{"server_id": "2"}, {"hostname": "db2"}, {"port": "3307"}])
def test_a_mariadb_server_is_known_by_its_number_host_and_port(other):
    assert name(**MARIADB) == name(**MARIADB)
    assert name(**MARIADB) != name(**{**MARIADB, **other})
