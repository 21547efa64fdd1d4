"""The first steps of a trial: what is made for it, in which order it is removed, and what is refused."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.own_transactions import EXAMPLE
from tests.unit.crash.parts import Part, Removed, prepared
from tests.unit.servers.played import Played
from workers.crash import prepare as module
from workers.crash.chain import ServerReady
from workers.crash.disks import DATA, LOGS
from workers.crash.kinds import CRASH_KINDS
from workers.crash.prepare import prepare, start
from workers.crash.setup_and_result import Attached
from workers.crash.transactions import statements
from workers.errors import PlanError
from workers.sandbox.log_places import IN_DATADIR, LogPlaces
from workers.sandbox.storage import Storage
from workers.transaction.read import read as read_transaction


class Made(Removed):
    """A server or a disk."""

    target, mnt = SimpleNamespace(port=1), Path("/mnt/disk")


@pytest.fixture
def ports(tmp_path):
    """(what happened, the ports of a trial that note it)"""
    notes = []
    answers = {"SHOW GLOBAL VARIABLES": [("log_bin", "ON"), ("sync_binlog", "1")]}

    def connect(target):
        notes.append("connect")
        return nullcontext(Played(answers))

    def image(root, build, engine, user, made_by):
        assert made_by is known["sandbox"], "the port that makes servers"
        return "image-key"

    def noted(name, made):
        return lambda *given, **how: notes.append((name, given, how)) or made

    server = Made("server", notes)
    server.datadir, server.binlog_index = tmp_path, tmp_path / "binlog.index"
    (tmp_path / "binlog.000002").write_bytes(b"")
    server.binlog_index.write_text("./binlog.000002\n")
    replica = Made("replica", notes)
    replica.sandbox = Part("replica server", notes)
    logs = Made("logs", notes)
    logs.mnt = Path("/mnt/logs")
    made = {
        "logs_disk": logs, "sandbox": server, "disk": Made("disk", notes), "attached": Made("owned", notes),
        "replica": replica, "witness": Part("witness", notes), "reconnecting": Part("reconnecting", notes),
    }  # fmt: skip
    asked = {
        "connect": connect,
        "image": image,
        "tables": lambda link, *what: notes.append(("tables", *what)),
        "user": lambda user: f"user {user}",
    }
    known = {name: noted(name, one) for name, one in made.items()} | asked
    return notes, known, made


def begun(ports, kind="process-kill", **setup):
    one = prepared(ports[0], kind)
    setup = replace(one.setup, user="mysql", **setup)
    known = {name: getattr(one, name) for name in ("settings", "made", "timeline")}
    return module.Begun(
        setup=setup, kind=CRASH_KINDS[kind], ports=replace(one.ports, **ports[1]), secret=b"s" * 16, **known
    )


def test_a_sandbox_that_is_only_killed_needs_no_disk(ports):
    notes, _, made = ports
    found = start(begun(ports))
    assert (found.server, found.disk, found.variables["log_bin"]) == (made["sandbox"], None, "ON")
    (given, how) = notes[2][1:]
    assert notes[:2] == ["[prepare]", "[start]"] and notes[3:] == ["server.flush_logs", "connect"]
    assert given == (found.setup.root, found.setup.build, found.settings)
    where = {"datadir_on": None, "logs": IN_DATADIR}
    assert how == where | {"name": "box", "image_key": "image-key", "trace": False, "user": "mysql"}
    notes.clear()
    found.made.kill()
    found.made.close()
    assert notes == ["server.kill", "server.remove"]


def test_a_power_loss_needs_a_disk_that_gives_way_before_the_server_is_removed(ports):
    notes, _, made = ports
    found = start(begun(ports, "power-loss"))
    assert found.disk is made["disk"] and "server.flush_logs" not in notes and "disk.storage" not in notes
    disk, server = (next(one for one in notes if one[0] == name) for name in ("disk", "sandbox"))
    assert (disk[1][2], disk[2]) == ("user mysql", {"image_key": "image-key"})
    assert server[2]["datadir_on"] == Path("/mnt/disk")
    notes.clear()
    found.made.kill()
    found.made.close()
    assert notes == ["disk.give_way", "server.kill", "disk.give_way", "server.remove", "disk.remove"]


def test_a_variants_storage_is_a_disk_that_is_as_slow(ports):
    storage = SimpleNamespace(k_ms=2.5, r_mb_per_s=80, apart=frozenset())
    found = start(begun(ports, storage=storage))
    assert found.disk.given["storage"] == (2500, 80)
    assert Storage.__dataclass_fields__.keys() >= {"k_ms", "r_mb_per_s"}


def test_logs_on_a_disk_of_their_own_lie_beside_the_disk_of_the_data(ports, tmp_path):
    """The binlog's index holds its way from the datadir, so both lie alike in every such folder."""
    notes, _, made = ports
    storage = SimpleNamespace(k_ms=2.5, r_mb_per_s=80, apart=frozenset({"binlog"}))
    found = start(begun(ports, storage=storage, root=tmp_path))
    assert (found.disk, found.logs_disk) == (made["disk"], made["logs_disk"])
    asked = {name: (given, how) for name, given, how in (one for one in notes if len(one) == 3)}
    data, logs = asked["disk"][1]["folder"], asked["logs_disk"][0][0]
    assert (data.name, logs.name, data.parent) == (DATA, LOGS, logs.parent) and data.is_relative_to(tmp_path)
    assert asked["sandbox"][1]["logs"] == LogPlaces(binlog=Path("/mnt/logs/binlog"))
    assert data.parent.is_dir()
    found.made.kill()
    found.made.close()
    assert {"disk.give_way", "logs.give_way", "disk.remove", "logs.remove"} <= {
        *filter(lambda one: isinstance(one, str), notes)
    }
    assert not data.parent.exists()


def test_the_tables_of_an_own_transaction_are_made_before_the_load(ports):
    """The statements that make them are in a file of the binary log that ends before it."""
    own = read_transaction(EXAMPLE)
    server = Played(
        {
            "SHOW GLOBAL VARIABLES": [("log_bin", "ON")],
            "SELECT table_name": [(table.name, "InnoDB") for table in own.tables],
            "": [],
        }
    )
    server.select_db = lambda schema: server.said.append(("USE", schema))
    ports[1]["connect"] = lambda target: nullcontext(server)
    found = start(begun(ports, own=own))
    said = [sql for sql, _ in server.said]
    assert said[0] == "USE" and said[-2:] == ["FLUSH LOGS", "SHOW GLOBAL VARIABLES"]
    assert ports[0][-1] == "server.flush_logs" and sum(sql.startswith("CREATE TABLE") for sql in said) == len(
        own.tables
    )
    found.made.close()


def attached(**more):
    return Attached(SimpleNamespace(), "trial_7", ("off",), (), lambda: None, lambda: None, **more)


def test_an_owners_server_gets_the_tables_in_its_own_schema(ports):
    notes, _, made = ports
    found = start(begun(ports, "attached-expendable", attached=attached(), build=None))
    assert (found.server, found.disk) == (made["attached"], None)
    assert notes[2:4] == ["connect", ("tables", "trial_7", "innodb")] and len(notes) == 5
    found.made.kill()
    found.made.close()
    assert notes[-2:] == ["owned.kill", "owned.close"]


def ready(ports, kind="process-kill", variables=None, **setup):
    one = begun(ports, kind, **setup)
    disk = ports[2]["disk"] if one.kind.needs_disk else None
    known = {"log_bin": "OFF", "sync_binlog": "1"} if variables is None else variables
    return ServerReady(**vars(one), server=ports[2]["sandbox"], disk=disk, variables=known)


@pytest.mark.parametrize(("index", "reconnects"), [("", True), ("/var/log/binlog.index", False)])
def test_a_client_reconnects_to_an_attached_server_whose_files_are_not_here(ports, index, reconnects):
    """While the files are compared nobody may write to them."""
    notes, _, made = ports
    found = prepare(ready(ports, attached=attached(binlog_index=index)))
    assert found.reconnecting is (made["reconnecting"] if reconnects else None)
    found.made.close()
    assert ("reconnecting.close" in notes) is reconnects


def test_the_clients_log_in_before_the_disk_is_armed(ports):
    notes, _, made = ports
    found = prepare(ready(ports, "lying-disk", clients=5))
    assert (found.witness, found.replica, found.look.log) == (made["witness"], None, None)
    assert notes == [
        ("witness", (made["sandbox"].target, found.schema, 5, found.secret), {"write": statements, "commits": 0}),
        "disk.lie",
    ]
    found.made.close()
    assert notes[-1] == "witness.close"


@pytest.mark.parametrize(
    ("replica", "log_bin", "server", "made"),
    [(True, "ON", None, True), (False, "ON", None, False), (True, "OFF", None, False), (True, "ON", attached(), False)],
)
def test_only_a_sandbox_with_a_binlog_has_a_replica(ports, replica, log_bin, server, made):
    notes = ports[0]
    variables = {"log_bin": log_bin, "sync_binlog": "1"}
    found = prepare(ready(ports, variables=variables, replica=replica, attached=server))
    assert (found.replica is not None) is made
    assert (found.look.log and found.look.log.first) == ("binlog.000002" if log_bin == "ON" else None)
    if made:
        assert notes[0] == "[attach replica]"
        given, how = notes[1][1:]
        assert (given[2:], how) == ((found.server, found.secret), {"user": "mysql"})
        found.made.kill()
        found.made.close()
        assert "replica server.kill" in notes and notes[-1] == "replica.remove"


def test_a_replica_that_loses_power_too_has_a_disk_and_the_settings_of_its_primary(ports):
    notes, _, made = ports
    made["disk"]._answers["stats"] = SimpleNamespace(k_us=0, r_mbps=0)
    settings = {"settings": {"sync_binlog": "1"}, "replica_settings": {"relay_log_recovery": "ON"}}
    found = prepare(ready(ports, "replica-crash-points", variables={"log_bin": "ON", "sync_binlog": "1"}, **settings))
    assert (found.replica, found.replica_disk) == (made["replica"], made["disk"])
    assert [one for one in notes if str(one).startswith("[")] == ["[prepare the replica's disk]", "[attach replica]"]
    how = next(one[2] for one in notes if one[0] == "replica")
    both = {"sync_binlog": "1", "relay_log_recovery": "ON"}
    assert how == {"user": "mysql", "settings": both, "datadir_on": Path("/mnt/disk")}
    assert made["disk"].given["storage"][0] > 0, "a flush without duration is never interrupted"
    notes.clear()
    found.made.close()
    assert notes[-3:] == ["disk.give_way", "replica.remove", "disk.remove"], "a frozen disk would keep its server"


@pytest.mark.parametrize(
    ("held", "told"), [({"sync_binlog": "0"}, "sync_binlog=0 now"), ({}, "sync_binlog=not known now")]
)
def test_an_owners_server_with_other_settings_is_not_crashed(ports, held, told):
    with pytest.raises(PlanError, match=f"{told}, .* 1: it was not crashed"):
        prepare(ready(ports, variables=held, attached=attached()))
    assert prepare(ready(ports, variables=held)), "a sandbox was started with them"


@pytest.mark.parametrize(("name", "asked", "held"), [("innodb_flush_method", "o_direct", "O_DIRECT"),
                                                     ("innodb_doublewrite", "1", "ON"),
                                                     ("innodb_buffer_pool_size", "16M", "16777216")])  # fmt: skip
def test_settings_are_the_same_however_they_are_spelled(ports, name, asked, held):
    assert prepare(ready(ports, variables={name: held}, settings={name: asked}, attached=attached()))
