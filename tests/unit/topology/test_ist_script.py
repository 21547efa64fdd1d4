"""The state transfer of a rejoining Galera node, as the server calls it."""

import os
import subprocess
import sys

import pytest

from workers.sandbox import port
from workers.topology.kinds.galera.galera import METHOD, SCRIPT, _programs

GTID = "b34758ad-e71d-11f1-b9b5-f7f76e8359a1:52"


def call(*words):
    return subprocess.Popen([sys.executable, "-IS", SCRIPT, *words], stdout=subprocess.PIPE, text=True)


@pytest.fixture
def place():
    return f"127.0.0.1:{port.free_port()}"


def test_the_joiner_hears_from_the_donor_where_the_transfer_begins(place):
    with call("--role", "joiner", "--address", place, "--parent", str(os.getpid())) as joiner:
        assert joiner.stdout.readline() == f"ready {place}\n"
        with call("--role", "donor", "--address", place, "--gtid", GTID, "--bypass") as donor:
            assert donor.stdout.read() == f"done {GTID}\n"
        assert joiner.stdout.read() == f"{GTID}\n"
    assert joiner.returncode == donor.returncode == 0


def test_a_donor_copies_no_data(place):
    with call("--role", "donor", "--address", place, "--gtid", GTID) as donor:
        assert donor.stdout.read() == ""
    assert donor.returncode == 38


def test_a_joiner_ends_with_its_server(place):
    server = subprocess.Popen(["sleep", "60"])
    with call("--role", "joiner", "--address", place, "--parent", str(server.pid)) as joiner:
        assert joiner.stdout.readline().startswith("ready")
        server.kill()
        server.wait()
        assert joiner.stdout.read() == ""
    assert joiner.returncode == 0


def test_the_server_finds_it_and_cannot_change_it(open_path):
    script = _programs(open_path) / f"wsrep_sst_{METHOD}"
    first, rest = script.read_text().split("\n", 1)
    assert first.startswith("#!/") and rest == SCRIPT.read_text()
    assert script.stat().st_mode & 0o777 == 0o755 and script.stat().st_uid == os.geteuid()
    made = script.stat().st_ino
    assert (_programs(open_path) / script.name).stat().st_ino == made
