"""A Galera cluster of real MariaDB servers, where the provider is installed. Its nodes are also looked at as servers
that somebody registered."""

import re

import pytest

from dashboard.findings.attached.topology import topology_of
from dashboard.records.servers.models import Server
from tests.real.registered import registering
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import parts
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import Formed
from workers.topology.network import ability
from workers.topology.run import run_failover
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology

pytestmark = pytest.mark.django_db
PERIOD = re.compile(r"evs\.join_retrans_period = (\w+(?:\.\w+)?)")
TRIES = 3  # on a busy machine two of three nodes had now and then written their whole log; the cause is not known
NEVER_FLUSHED = {"innodb_flush_log_at_trx_commit": "0", "innodb_flush_log_at_timeout": "2700"}


def reading(into, steps):
    """The steps of a trial that reads an option of the provider once its nodes are formed."""

    def steps_of(kind, begun):
        for state in steps(kind, begun):
            if type(state) is Formed:
                for node in state.nodes:
                    with connect(node.sandbox.target) as connection:
                        options = ask.text(connection, "SELECT @@GLOBAL.wsrep_provider_options")
                    into.extend(PERIOD.findall(options))
            yield state

    return steps_of


def test_a_cluster_that_does_not_flush_loses_commits_when_all_are_killed(sandbox_root):
    try:
        parts.find("galera-4")
    except SandboxError as absent:
        pytest.skip(str(absent))
    build = builds.find("system-mariadb")
    topology = Topology("galera", replicas=2, rtt_ms=0 if ability.missing() else 2)
    setup = FailoverSetup(
        root=sandbox_root, build=build, name="test", topology=topology, settings=NEVER_FLUSHED, fault="total-kill",
        seed=7, load_s=0.6,
    )  # fmt: skip
    for _ in range(TRIES):
        Server.objects.all().delete()
        nodes: list[Server] = []
        periods: list[str] = []
        result = run_failover(setup, lambda step: None, lambda: False, steps=reading(periods, registering(nodes)))
        if result.error or result.lost.transactions:
            break
    assert result.error == ""
    assert periods == ["PT1S"] * 3, "a lost node is noticed as with the defaults of Galera"
    seen = topology_of(nodes[0])
    assert [(node.name, node.state, node.says) for node in seen.nodes] == [
        (name, "passed", "Galera: Synced") for name in ("node 1", "node 2", "node 3")
    ]  # fmt: skip
    outcomes = {one.crash: one.outcome for one in seen.statements}
    assert outcomes["all Galera nodes are killed"] == "may be lost" and seen.unread == ()
    wrong = {check.key for check in result.checks if check.outcome != "valid"}
    assert wrong == {"lost-promoted", "phantoms"}, (result.acknowledged, result.story.holds, result.log_lines)
    story = result.story
    assert result.lost.transactions > 0 and story.because.startswith("All nodes went down before any had flushed")
    assert story.holds.keys() == {"node 1", "node 2", "node 3"}
    assert story.holds[story.promoted] == max(story.holds.values())


def test_the_one_node_that_flushes_keeps_what_it_had_applied(sandbox_root):
    """The others flush nothing, and have a newer build where that is installed."""
    newer, own = "mariadb-11.8", {1: {"innodb_flush_log_at_trx_commit": "1"}}
    try:
        parts.find("galera-4")
        builds.find(newer)
    except SandboxError as absent:
        pytest.skip(str(absent))
    setup = FailoverSetup(
        root=sandbox_root, build=builds.find("system-mariadb"), name="test", settings=NEVER_FLUSHED,
        topology=Topology("galera", replicas=2, replica_build=newer, one_replica=own), fault="total-kill", seed=7,
        load_s=0.6,
    )  # fmt: skip
    result = run_failover(setup, lambda step: None, lambda: False)
    holds, lost = result.story.holds, result.lost.transactions
    assert result.error == "" and holds.keys() == {"node 1", "node 2", "node 3"}
    assert holds[result.story.promoted] == max(holds.values()) == result.acknowledged - lost
    assert lost <= result.acknowledged - holds["node 2"] < result.acknowledged
    flushes = {name: "innodb_flush_log_at_trx_commit=1\n" in text for name, text in result.my_cnf.items()}
    assert flushes == {"node 1": False, "node 2": True, "node 3": False}
    versions = {name for name, lines in result.log_lines.items() if "11.8" in "".join(lines)}
    assert versions == {"node 2", "node 3"} and result.story.rejoin.state == "caught up"


@pytest.mark.skipif(bool(ability.missing()), reason=ability.missing() or "-")
def test_the_majority_goes_on_without_a_node_that_is_cut_off_and_takes_it_back(sandbox_root):
    """Clients of the node that is cut off reconnect. Updates are locked before they are written: none is lost."""
    try:
        parts.find("galera-4")
    except SandboxError as absent:
        pytest.skip(str(absent))
    topology = Topology("galera", replicas=2, rtt_ms=2, updates="locking")
    setup = FailoverSetup(
        root=sandbox_root, build=builds.find("system-mariadb"), name="test", topology=topology, settings={},
        fault="partition", seed=7, load_s=0.6,
    )  # fmt: skip
    result = run_failover(setup, lambda step: None, lambda: False)
    assert (result.error, result.verdict) == ("", "valid"), result.checks
    assert {"lost-updates", "stale-reads"} <= {check.key for check in result.checks}
    story = result.story
    assert story.promoted != "node 1" and story.rejoin.state == "caught up" and story.outage.most_s > 2
    parted, *others = (one for one in story.answered if one.acknowledged)
    assert parted.node == "node 1" and others and all(one.first_s > parted.last_s for one in others)


def test_the_last_node_of_a_newer_server_is_forced_to_go_on(sandbox_root):
    """MariaDB 11.8 refuses wsrep_provider_options: each option is a variable."""
    try:
        parts.find("galera-4")
        build = builds.find("mariadb-11.8")
    except SandboxError as absent:
        pytest.skip(str(absent))
    setup = FailoverSetup(
        root=sandbox_root, build=build, name="test", topology=Topology("galera", replicas=2), settings={},
        fault="majority-lost", seed=7, load_s=0.6,
    )  # fmt: skip
    result = run_failover(setup, lambda step: None, lambda: False)
    assert (result.error, result.verdict, result.lost.transactions) == ("", "valid", 0), result.checks


def test_a_cluster_expels_a_node_that_pauses_too_long_and_takes_it_back(sandbox_root):
    try:
        parts.find("galera-4")
    except SandboxError as absent:
        pytest.skip(str(absent))
    setup = FailoverSetup(
        root=sandbox_root, build=builds.find("system-mariadb"), name="test", topology=Topology("galera", replicas=2),
        settings={}, fault="primary-pause", seed=7, load_s=0.6, pause_s=20.0,
    )  # fmt: skip
    result = run_failover(setup, lambda step: None, lambda: False)
    assert (result.error, result.verdict, result.story.expelled) == ("", "valid", True), result.checks
    assert result.story.outage.detection_s > 2 and result.story.rejoin.state == "caught up"
