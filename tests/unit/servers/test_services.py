"""Managed services are recognised by what their servers and host names say; any other server is not one."""

import pytest

from workers.servers.services import SERVICES, ManagedService, read, recognised


@pytest.mark.parametrize(
    ("variables", "host", "found"),
    [
        ({"aurora_version": "3.05.2", "basedir": "/rdsdbbin/oscar/"}, "db", ("aurora", "aurora_version")),
        ({"basedir": "/rdsdbbin/mysql-8.0.35.R2/"}, "db", ("rds", "basedir")),
        ({"basedir": "/usr/", "datadir": "/rdsdbdata/db/"}, "10.0.0.7", ("rds", "datadir")),
        ({"version": "8.0.31-google"}, "10.0.0.7", ("cloud-sql", "version")),
        ({"version": "8.0.31", "version_comment": "(Google)"}, "10.0.0.7", ("cloud-sql", "version_comment")),
        ({"version": "8.0.39-azure"}, "10.0.0.7", ("azure", "version")),
        ({}, "shop.cluster-cx7abc.eu-west-1.rds.amazonaws.com", ("aurora", "the name of its host")),
        ({}, "shop.cluster-ro-cx7abc.eu-west-1.rds.amazonaws.com", ("aurora", "the name of its host")),
        ({}, "Shop.cx7abc.eu-west-1.RDS.amazonaws.com.", ("rds", "the name of its host")),
        ({}, "shop.cx7abc.rds.cn-north-1.rds.amazonaws.com.cn", ("rds", "the name of its host")),
        ({}, "shop.mysql.database.azure.com", ("azure", "the name of its host")),
        ({"version": "8.0.39-azure"}, "alias.rds.amazonaws.com", ("azure", "version")),
    ],
)
def test_a_managed_service_is_recognised(variables, host, found):
    assert recognised(variables, host) == found


@pytest.mark.parametrize(
    ("variables", "host"),
    [
        ({"basedir": "/usr/", "datadir": "/var/lib/mysql/", "version": "10.11.6-MariaDB"}, "db1.example.org"),
        ({"basedir": "/opt/rdsdbbin/", "version_comment": "Google it", "aurora_version": ""}, "127.0.0.1"),
        ({}, "rds.amazonaws.com.example.org"),
        ({}, "mysql.database.azure.com.evil"),
        ({}, ""),
    ],
)
def test_another_server_is_not(variables, host):
    assert recognised(variables, host) == ("", "")


def test_each_says_how_its_log_is_kept():
    assert set(SERVICES) == {"aurora", "rds", "cloud-sql", "azure"}
    assert all(service.log for service in SERVICES.values())


def test_services_are_read_from_a_file(tmp_path):
    file = tmp_path / "services.toml"
    file.write_text('[one]\ntitle = "One"\nsigns = ["basedir=/one/.*"]\nhosts = ["one[.]net"]\nlog = "its console"\n')
    assert read(file) == {"one": ManagedService("One", ("basedir=/one/.*",), ("one[.]net",), "its console")}
