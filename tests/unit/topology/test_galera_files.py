"""Galera: its files, its log, its nodes' settings, and what is refused."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.errors import SandboxError, ServerEnded, Unreachable
from workers.sandbox import builds
from workers.sandbox.builds import parts
from workers.sandbox.options import check
from workers.sandbox.server import Sandbox
from workers.topology.faults import FAULTS
from workers.topology.ground import Ground
from workers.topology.kinds import TOPOLOGY_KINDS, impossible
from workers.topology.kinds.galera import files, galera
from workers.topology.network import ability
from workers.topology.nodes import Node, NodePlan
from workers.topology.topology import Topology

GALERA = TOPOLOGY_KINDS["galera"]
UUID = "b34758ad-e71d-11f1-b9b5-f7f76e8359a1"
LINE = f"2026-11-23  9:10:33 0 [Note] WSREP: Recovered position: {UUID}:52"
THREE = Topology("galera", replicas=2)


def build(flavour="mariadb", version=(10, 11, 19), refuses=""):
    return SimpleNamespace(
        flavour=flavour, version=version, title=f"{flavour} {version}", refuses=lambda library, user: refuses
    )


@pytest.fixture
def provider(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "find", lambda key: tmp_path / key)


@pytest.fixture
def network(monkeypatch):
    """`network(why)`: why this host has no namespaces."""
    return lambda why: monkeypatch.setattr(ability, "missing", lambda: why)


def test_the_last_recovered_position_counts():
    assert files.recovered(["nothing", LINE, LINE.replace(":52", ",52"), LINE.replace(":52", ":7")]) == (
        files.Position(7, f"{UUID}:7")
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "WSREP: Recovered position: nonsense",
        LINE.replace(UUID, UUID[:-1]),
        LINE.replace(UUID, "../" * 12),
        LINE.replace("WSREP", "INSERT"),
        LINE.replace(":52", ":x"),
    ],
)
def test_a_log_without_a_well_formed_position_gives_none(line):
    assert files.recovered([line]) == files.NOWHERE and files.NOWHERE.order < 0


def test_an_endless_number_in_the_log_is_cut_short():
    assert len(files.recovered([f"WSREP: Recovered position: {UUID}:" + "9" * 10_000]).text) < 60


def test_all_nodes_share_one_view_and_have_unlike_names():
    views = files.views(3)
    names = [view.splitlines()[0].removeprefix("my_uuid: ") for view in views]
    shared = {view.partition("#vwbeg")[2] for view in views}
    assert len(set(names)) == 3 and len(shared) == 1
    assert [line.split()[1] for line in shared.pop().splitlines() if line.startswith("member:")] == names


def test_a_chosen_node_may_bootstrap():
    text = files.first_of_a_cluster(files.Position(52, f"{UUID}:52"))
    assert f"uuid:    {UUID}\n" in text and text.endswith("safe_to_bootstrap: 1\n")


def test_a_file_of_the_datadir_never_leads_out_of_it(tmp_path):
    """A server may have made a link in its datadir: it is replaced, and its target stays as it was."""
    outside, datadir = tmp_path / "secret", tmp_path / "data"
    outside.write_text("kept")
    datadir.mkdir()
    (datadir / files.STATE).symlink_to(outside)
    sandbox = SimpleNamespace(datadir=datadir, user=SimpleNamespace(own=lambda file: None))
    Sandbox.put(sandbox, files.STATE, "new")
    assert outside.read_text() == "kept" and (datadir / files.STATE).read_text() == "new"
    assert not (datadir / files.STATE).is_symlink()


@pytest.mark.parametrize(
    ("said", "binlog"),
    [({}, "OFF"), ({"log_bin": "no"}, "OFF"), *[({"log_bin": value}, "ON") for value in ("ON", "1", "YES", "true")]],
)
def test_the_variant_decides_about_the_binlog(said, binlog):
    settings = galera._binlog(said)
    assert settings["log_bin"] == binlog and settings.get("log_slave_updates", "OFF") == binlog


def test_settings_of_galera_can_stand_in_an_option_file():
    place = galera._NodePlace("10.231.0.1", 1, 2, 3)
    check({**galera._settings(Path("/provider.so")), **place.settings, **galera.ALONE, **galera.FIRST})
    assert place.group == "10.231.0.1:1" and "recv_addr=10.231.0.1:2;" in place.options


def test_an_impossible_cluster_is_refused_with_the_reason(provider):
    assert GALERA.problems(THREE, build()) == []
    assert "MariaDB 10.4 or later" in GALERA.problems(THREE, build(version=(10, 3, 9)))[0]
    assert "MariaDB 10.4 or later" in GALERA.problems(THREE, build("mysql", (8, 0, 33)))[0]
    assert (GALERA.lacks(build(refuses="no libssl")), GALERA.lacks(build())) == ("no libssl", "")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"replica_settings": {"sync_relay_log": "1"}}, "Galera has no relay log: leave sync_relay_log out"),
        ({"one_replica": {2: {"slave_parallel_mode": "none"}}}, "leave slave_parallel_mode out"),
        ({"applying": False}, "leave behind out"),
        ({"position": "file"}, "leave position and keyless out"),
        ({"keys": False}, "leave position and keyless out"),
    ],
)
def test_a_setting_that_galera_ignores_is_refused(provider, given, why):
    found = GALERA.problems(Topology("galera", replicas=2, **given), build())
    assert len(found) == 1 and why in found[0]


def test_without_the_provider_the_command_that_installs_it_is_named(monkeypatch):
    def absent(key):
        raise SandboxError(f"{key} is not installed.", f"Install it: manage.py build install {key}")

    monkeypatch.setattr(parts, "find", absent)
    assert "manage.py build install galera-4" in GALERA.lacks(build())


def test_without_a_user_for_servers_that_is_named(provider, monkeypatch):
    def none():
        raise SandboxError("No user id is free.", "Make a user.")

    monkeypatch.setattr(galera, "unprivileged_user", none)
    assert "No user id is free" in GALERA.lacks(build())


def test_each_node_has_its_own_settings_and_all_begin_with_one_image(provider, monkeypatch):
    """A node of a newer build begins with the data of the first node, as in a rolling upgrade."""
    first, newer = build(), build(version=(11, 8, 9))
    monkeypatch.setattr(builds, "find", {"newer": newer}.get)
    monkeypatch.setattr(galera, "_image", lambda ground, provider: "one")
    monkeypatch.setattr(galera, "_programs", lambda root: root)
    topology = replace(THREE, replica_build="newer", one_replica={2: {"innodb_flush_log_at_trx_commit": "1"}})
    plans = GALERA.plans(Ground(Path("/"), first, topology, {"innodb_flush_log_at_trx_commit": "0"}))
    assert [plan.settings["innodb_flush_log_at_trx_commit"] for plan in plans] == ["0", "0", "1"]
    assert [plan.build for plan in plans] == [first, newer, newer] and {plan.image for plan in plans} == {"one"}


@pytest.mark.parametrize(
    ("kind", "fault", "policy", "replicas", "why"),
    [
        ("galera", "primary-kill", "stop-first", 2, "no relay log"),
        ("galera", "primary-kill", "unfenced", 2, "shuts off its lost nodes"),
        ("galera", "primary-kill", "old-as-replica", 2, "returns as what it was"),
        ("galera", "primary-kill", "old-rebuilt", 2, "returns as what it was"),
        ("galera", "primary-kill", "careful", 1, "2 to 4"),
        ("galera", "primary-kill", "in-place", 2, "go on without the lost one"),
        ("galera", "kill:replica3", "careful", 2, "the topology has no replica 3"),
        ("async", "majority-lost", "careful", 1, "only the nodes of a cluster vote"),
    ],
)
def test_faults_and_policies_without_a_meaning_are_refused(provider, kind, fault, policy, replicas, why):
    found = impossible(
        TOPOLOGY_KINDS[kind], Topology(kind, replicas=replicas, policy_key=policy), build(), FAULTS[fault]
    )
    assert len(found) == 1 and why in found[0]


@pytest.mark.parametrize("fault", [key for key, one in FAULTS.items() if not one.of_replica])
@pytest.mark.parametrize("policy", ["careful", "first-replica", "old-away"])
def test_possible_faults_of_a_cluster_are_tried(provider, network, fault, policy):
    network("")
    assert impossible(GALERA, replace(THREE, rtt_ms=20.0, policy_key=policy), build(), FAULTS[fault]) == []


def test_a_host_without_namespaces_has_neither_delays_nor_partitions(provider, network):
    network("no CAP_SYS_ADMIN")
    kill, partition = FAULTS["primary-kill"], FAULTS["partition"]
    assert impossible(GALERA, THREE, build(), kill) == []
    (delay,) = impossible(GALERA, replace(THREE, rtt_ms=1), build(), kill)
    (parted,) = impossible(GALERA, THREE, build(), partition)
    assert "A round trip between the nodes of a cluster is not possible" in delay and "Network partition" in parted
    assert delay.endswith("no CAP_SYS_ADMIN") and parted.endswith("no CAP_SYS_ADMIN")


def test_clients_of_a_partition_are_on_the_node_that_is_cut_off(provider, network):
    network("")
    assert "leave writers out" in impossible(GALERA, replace(THREE, writers="each"), build(), FAULTS["partition"])[0]


def test_nodes_of_a_trial_start_with_one_view_and_none_by_itself():
    plans = [NodePlan(f"node {n}", None, {}, at_first=galera.ALONE) for n in (1, 2, 3)]
    views = [plan.additions.files[files.VIEW] for plan in galera.Galera().at_once(plans)]
    assert len(set(views)) == 3 and len({view.partition("\n")[2] for view in views}) == 1
    assert not any(plan.at_first for plan in galera.Galera().at_once(plans))


def test_a_node_that_answers_late_is_asked_again(monkeypatch):
    """And one that ended meanwhile has ended, whoever hears of it first."""
    synced = {"wsrep_ready": "ON", "wsrep_local_state_comment": "Synced", "wsrep_cluster_size": "3"}
    answers = [Unreachable("no answer in time"), nullcontext()]

    def connect(target):
        if isinstance(answer := answers.pop(0), Unreachable):
            raise answer
        return answer

    monkeypatch.setattr(galera, "connect", connect)
    monkeypatch.setattr(galera.ask, "names_to_values", lambda connection, sql: synced)
    node = Node("node 1", SimpleNamespace(target=None, running=True, log_text="signal 11"), None, {})
    galera._synced(node, 3)
    assert answers == []
    answers[:], node.sandbox.running = [Unreachable("refused")], False
    with pytest.raises(ServerEnded, match=r"node 1 ended before it was synced.*signal 11"):
        galera._synced(node)
