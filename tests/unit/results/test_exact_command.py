"""The command of a measurement can be repeated: what the worker gave it is named."""

import pytest

from dashboard.pages.results.exact_command import command, needs
from dashboard.records.experiments.models import Run, RunEvidence
from tests.unit.results import factory

HOST = "--mysql-host=host=db7;restricted-auth=caching_sha2_password;server-public-key=/tmp/durascope-key-x/key.pem"
TLS = ["/usr/bin/sysbench", "update_by_key", HOST, "--mysql-ssl=on", "run"]
PLAIN = ["/usr/bin/sysbench", "update_by_key", "--mysql-host=db7", "--mysql-ssl=off", "run"]


def test_a_temporary_file_has_a_name_in_its_place():
    assert "/tmp/" not in command(TLS) and "server-public-key=server-key.pem'" in command(TLS)
    assert command(["x", "server-public-key=/tmp/a;host=b"]) == "x 'server-public-key=server-key.pem;host=b'"
    assert command(PLAIN) == " ".join(PLAIN)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (PLAIN, ["LUA_PATH"]),
        (TLS, ["LUA_PATH", "cacert.pem", "server-key.pem"]),
        (["sysbench", "own_transaction", "run"], ["LUA_PATH", "OWN_TRANSACTION"]),
        ([], []),
    ],
)
def test_each_file_and_variable_is_named(words, wanted):
    found = [*needs(words)]
    assert len(found) == len(wanted) and all(name in said for name, said in zip(wanted, found, strict=True))


def test_the_page_of_a_cell_says_what_to_put_there(db, client_in):
    factory.experiment()
    run = Run.objects.first()
    RunEvidence.objects.update_or_create(
        run=run, defaults={"command": TLS, "my_cnf": "", "output": "", "histogram": {}}
    )
    page = client_in.get(f"/results/cells/{run.cell_id}/").content.decode()
    assert "/tmp/durascope-key-x" not in page and "openssl req" in page and "cacert.pem" in page
