"""The profile of a registered server: how its binary log is reached, and what is not available."""

from dataclasses import asdict

import pytest
from django.urls import reverse

from dashboard.findings.attached.profile import profile_of
from dashboard.records.servers.models import Preflight, Server
from tests.unit.results import factory
from workers.servers.durability import report
from workers.servers.facts import Facts
from workers.servers.services import SERVICES

pytestmark = pytest.mark.django_db
FILES = {"Binary log left unchanged by recovery", "Each GTID names one transaction"}


def server(**fields) -> Server:
    made = factory.server("db", host="db1.example.org")
    Server.objects.filter(pk=made.pk).update(user="o'neil", **fields)
    return Server.objects.get(pk=made.pk)


def answered(made: Server, key: str, sign: str) -> Server:
    facts = {"flavour": "mysql", "version_text": "8.0.35", "service": {"key": key, "sign": sign}}
    Preflight.objects.create(server=made, state="done", facts=facts)
    return made


def names(made: Server) -> set[str]:
    return {what for what, _ in profile_of(made).left_out}


def test_a_server_with_its_log_here_lacks_nothing():
    made = server(binlog_index="/var/lib/mysql/binlog.index")
    found = profile_of(made)
    assert (found.title, found.left_out, found.grant, found.never_tried) == ("Local files", (), "", "")
    assert "/var/lib/mysql/binlog.index" in found.log


def test_a_server_elsewhere_lacks_what_needs_the_files():
    made = server()
    assert profile_of(made).title == "Remote" and names(made) == FILES
    assert profile_of(made).grant == "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'o''neil'@'%';"


@pytest.mark.parametrize(
    ("flavour", "version", "rights"),
    [
        ("mariadb", "10.11.19-MariaDB", "REPLICATION SLAVE, BINLOG MONITOR"),
        ("mariadb", "10.4.1-MariaDB", "REPLICATION SLAVE, REPLICATION CLIENT"),
        ("mysql", "8.0.33", "REPLICATION SLAVE, REPLICATION CLIENT, XA_RECOVER_ADMIN"),
        ("mysql", "5.7.40", "REPLICATION SLAVE, REPLICATION CLIENT"),
    ],
)
def test_the_grant_fits_the_version(flavour, version, rights):
    made = server()
    made.preflights.create(state="done", facts={"flavour": flavour, "version_text": version})
    assert profile_of(made).grant == f"GRANT {rights} ON *.* TO 'o''neil'@'%';"


def test_the_grant_is_for_the_account_of_a_socket():
    assert profile_of(server(socket="/run/mysqld.sock")).grant.endswith("TO 'o''neil'@'localhost';")


def test_a_managed_server_lacks_more_and_says_that_it_was_never_tried():
    made = answered(server(), "aurora", "aurora_version")
    found = profile_of(made)
    assert (found.title, found.because) == ("Managed: Amazon Aurora", "recognised by aurora_version")
    assert names(made) > FILES and "Power loss and process kill" in names(made)
    assert "never tried on Amazon Aurora" in found.never_tried and "binlog retention hours" in found.to_do


@pytest.mark.parametrize(("said", "title"), [("none", "Remote"), ("azure", f"Managed: {SERVICES['azure'].title}")])
def test_the_owner_can_correct_the_kind_of_a_server(said, title):
    assert profile_of(answered(server(service=said), "rds", "basedir")).title == title


def test_a_service_that_is_not_known_any_more_is_none():
    assert profile_of(answered(server(), "gone", "x")).title == "Remote"


def test_every_service_can_be_named_by_the_owner():
    assert set(Server.Service.values) == {"none", *SERVICES}


def test_the_page_of_the_server_says_it(client_in):
    made = answered(server(), "rds", "basedir")
    page = client_in.get(reverse("servers:detail", args=[made.pk])).content.decode()
    assert "Managed: Amazon RDS" in page and "recognised by basedir" in page
    assert "Binary log left unchanged by recovery" in page and "never tried on Amazon RDS" in page


@pytest.mark.parametrize(
    ("service", "says"), [("", "about the last second"), ("rds", "storage and failover of Amazon RDS are")]
)
def test_its_report_does_not_judge_the_power_loss_of_a_vendors_storage(client_in, service, says):
    """A crash trial of another server with its settings is not shown as its own."""
    facts = Facts("mysql", (8, 0, 35), "8.0.35", {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1"}, {})
    made = answered(server(), service, "basedir")
    Preflight.objects.update(durability=[asdict(one) for one in report(facts)])
    page = client_in.get(reverse("servers:detail", args=[made.pk])).content.decode()
    section = page.partition("Durability report")[2].partition("</section>")[0]
    assert says in section
    assert ("badge warned" in section) == (not service)
    assert ("on every server with this version" in section) == (not service)


def test_the_owner_names_it_in_the_form(client_in):
    made = server()
    asked = {"name": "db", "host": made.host, "port": made.port, "user": made.user, "tls": "off", "label": "test"}
    said = client_in.post(reverse("servers:edit", args=[made.pk]), asked | {"service": "cloud-sql", "tls": made.tls})
    assert said.status_code == 302
    made.refresh_from_db()
    assert made.service == "cloud-sql"
