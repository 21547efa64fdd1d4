"""Replicas go on and an old primary returns: what their answers come to as evidence."""

from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace

import pytest

from tests.unit.crash import binlog_bytes
from tests.unit.crash.binlog_bytes import Binlog
from tests.unit.topology.failures import SECRET, keys
from tests.unit.topology.test_failover_story import returned
from workers.crash.dialects import DIALECTS
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.made import Made
from workers.crash.replica_link import Followed
from workers.errors import SandboxError, ServerEnded, ServerError, Unreachable
from workers.topology.chain import Promoted
from workers.topology.evidence import GtidsSeen
from workers.topology.faults import FAULTS
from workers.topology.kinds.following import following, position, rejoin
from workers.topology.kinds.following.following import AFTER_CRASH, AFTER_RESTART, GO_ON_S, Following
from workers.topology.policy import POLICIES
from workers.topology.reconnected import FIRST
from workers.topology.takeover import REJOIN
from workers.topology.topology import parse

SEEN = Seen(keys((0, 1)))
COMPARED = ReplicaSeen(REJOIN, "caught up", "", 4)


def promoted(fault="primary-host-loss", topology="async+replicas=2", **changes):
    known = returned(fault, topology, **changes)
    return Promoted(**{one.name: getattr(known, one.name) for one in fields(Promoted)})


class Does:
    """Notes each call; `fails`: of a call -> what it raises."""

    def __init__(self, done, **fails):
        self._done, self._fails = done, fails

    def __getattr__(self, call):
        def called(*given):
            self._done.append((call, *given))
            if failure := self._fails.get(call):
                raise failure

        return called


def node(done, running=True, restart=None, name="replica 1"):
    acts = Does(done, restart=restart)
    return SimpleNamespace(name=name, sandbox=SimpleNamespace(running=running, target=name), restart=acts.restart)


def read_all_the_same(node, state, error, secret):
    return ReplicaSeen(REJOIN, state, error, None, SEEN)


@pytest.fixture
def followed(monkeypatch):
    """`followed(...)`: what a replica comes to, and what it was told."""

    def compared(source, node, secret):
        assert (source, node.name, secret) == ("primary", "replica 1", SECRET)
        return COMPARED

    monkeypatch.setattr(following, "compared", compared)
    monkeypatch.setattr(following, "refused", read_all_the_same)

    def told(running=True, restart=None, start=None, follows=None):
        done = []
        link = SimpleNamespace(
            tell=Does(done, tell=start).tell, follow_to_rest=lambda limit_s: follows or Followed("caught up")
        )
        known = SimpleNamespace(primary="primary", secret=SECRET)
        return following.followed(known, node(done, running, restart), link), done

    return told


@pytest.mark.parametrize(("running", "told"), [(True, []), (False, [("restart", {})])])
def test_a_replica_goes_on_from_its_own_position_and_is_compared(followed, running, told):
    found, done = followed(running)
    assert found == replace(COMPARED, moment=AFTER_CRASH) and done == [*told, ("tell", "START", "")]


@pytest.mark.parametrize(
    ("how", "state", "error", "seen"),
    [
        ({"start": ServerError("1872: no relay log")}, "stopped", "1872: no relay log", SEEN),
        ({"follows": Followed("stopped", "1062: twice")}, "stopped", "1062: twice", SEEN),
        ({"follows": Followed("unknown", "too late")}, "unknown", "too late", SEEN),
        ({"running": False, "restart": ServerEnded("page 3")}, "stopped", "page 3", None),
        ({"running": False, "restart": SandboxError("it hangs")}, "unknown", "it hangs", None),
        ({"start": Unreachable("no answer", "")}, "unknown", "no answer", None),
    ],
)
def test_a_replica_that_refuses_is_told_from_one_that_is_not_known(followed, how, state, error, seen):
    """Who refuses misleads nobody; who does not answer may be anything."""
    found, _ = followed(**how)
    assert (found.moment, found.state, found.different_rows, found.seen) == (AFTER_CRASH, state, None, seen)
    assert found.error.startswith(error)


def under(monkeypatch, step, fault):
    monkeypatch.setattr(following, "followed", lambda known, node, link, *moment: (node.name, link, *moment))
    healed, told = [], []
    timeline = SimpleNamespace(step=told.append)
    wires = tuple(SimpleNamespace(heal=lambda number=number: healed.append(number)) for number in (1, 2))
    return step(promoted(fault, links=("link 1", "link 2"), wires=wires, timeline=timeline)), healed, told


def test_the_replica_that_was_struck_is_told_apart_from_the_others(monkeypatch):
    found, healed, told = under(monkeypatch, following.replicas_return, "replica-kill")
    assert found.rejoined == ("replica 1", "link 1") and found.others == (("replica 2", ("replica 2", "link 2")),)
    assert healed == [1, 2] and told == ["replica returns"] and not found.returns


def test_a_replica_that_is_lost_for_good_stays_away(monkeypatch):
    found, *_ = under(monkeypatch, following.replicas_return, "permanent-loss:replica1")
    assert found.rejoined is None and [name for name, _ in found.others] == ["replica 2"]


def test_where_the_primary_starts_again_all_replicas_go_on(monkeypatch):
    found, _, told = under(monkeypatch, following.replicas_follow, "primary-kill")
    assert told == ["replicas follow"]
    assert [seen[-1] for _, seen in found.others] == [AFTER_RESTART] * 2 and found.rejoined is None


@pytest.mark.parametrize(
    ("fault", "policy", "steps"),
    [
        ("replica-kill", "careful", ("go_on", "replicas_return")),
        ("primary-kill", "careful", ("fail_over", "come_back")),
        ("primary-kill", "in-place", ("start_again", "replicas_follow")),
    ],
)
def test_fault_and_policy_decide_who_goes_on(monkeypatch, fault, policy, steps):
    for name in ("go_on", "fail_over", "start_again", "replicas_return", "come_back", "replicas_follow"):
        monkeypatch.setattr(following, name, lambda *given, name=name: name)
    known = promoted(fault, f"async+policy={policy}")
    assert (Following.fail_over(None, known), Following.come_back(None, known)) == steps


@pytest.fixture
def taken_over(monkeypatch):
    """`taken_over(step, fault)`: the known times, and what was done in which order."""

    def told(step, fault):
        done, clock = [], iter((10.0, 12.5))
        monkeypatch.setattr(following, "take_over", lambda struck, new, **known: (new.name, known))
        monkeypatch.setattr(following, "counted_again", lambda struck: done.append("counted again") or struck)
        acts = Does(done)
        nodes = [SimpleNamespace(name=name, restart=lambda own, name=name: done.append(f"{name} starts"))
                 for name in ("primary", "replica 1")]  # fmt: skip
        struck = SimpleNamespace(
            ports=SimpleNamespace(clock=lambda: next(clock), sleep=acts.sleep), timeline=acts, nodes=nodes,
            primary=nodes[0], fault=FAULTS[fault], wires=(acts,), links=(SimpleNamespace(tell=acts.tell),),
            hear=acts.hear, outlast_pause=acts.outlast_pause,
        )  # fmt: skip
        return *step(struck), done

    return told


@pytest.mark.parametrize(
    ("fault", "starts", "told"),
    [
        ("primary-kill", ["primary starts"], []),
        ("total-kill", ["primary starts", "replica 1 starts"], [("tell", "START", "IO_THREAD")]),
    ],
)
def test_a_primary_that_starts_again_is_timed(taken_over, fault, starts, told):
    """A replica that starts with it receives at once: a semi-synchronous primary waits for it."""
    new, known, done = taken_over(following.start_again, fault)
    assert (new, known) == ("primary", {"began": 10.0, "recovery_s": 2.5})
    assert done == [("step", "primary returns"), *starts, ("heal",), *told]


def test_while_replicas_are_down_clients_commit_on_and_the_primary_is_heard_after_a_pause(taken_over):
    new, known, done = taken_over(following.go_on, "replica-kill")
    assert (new, known) == ("primary", {"began": 10.0})
    assert done == [("sleep", GO_ON_S), ("outlast_pause", GO_ON_S), ("hear",), "counted again"]


def test_a_rebuilt_primary_is_a_copy_of_the_new_one_with_its_own_settings(monkeypatch):
    @dataclass(frozen=True)
    class Old:
        sandbox: object = "lost"
        disk: object = "full"
        settings: object = None

    given = []
    monkeypatch.setattr(rejoin, "_off", lambda known, kind: {"half": "OFF"})
    monkeypatch.setattr(rejoin, "_joined", lambda known, kind, node: node)
    monkeypatch.setattr(rejoin, "twin", lambda *how, **more: given.append((how, more)) or nullcontext("copy"))
    with Made() as made:
        known = SimpleNamespace(
            primary=Old(settings={"sync_binlog": "1"}), new=SimpleNamespace(sandbox="new"), made=made,
            setup=SimpleNamespace(root="root"),
        )  # fmt: skip
        found = rejoin._rebuilt(known, None)
        assert (found.sandbox, found.disk) == ("copy", None)
        assert given == [(("new", "root", {"sync_binlog": "1", "half": "OFF"}), {"other_id": True})]

        def no_room(*_, **__):
            raise SandboxError("No room.")

        monkeypatch.setattr(rejoin, "twin", no_room)
        found = rejoin._rebuilt(known, None)
    assert (found.state, found.error) == ("unknown", str(SandboxError("No room.")))


def binlog(folder, *commits):
    log = Binlog()
    for client, n, number in commits:
        log.commit(client, n, number)
    folder.mkdir()
    (folder / "binlog.000001").write_bytes(log.data)
    (folder / "binlog.index").write_text("./binlog.000001\n")
    return SimpleNamespace(sandbox=SimpleNamespace(datadir=folder))


def test_gtids_of_both_binlogs_are_compared(monkeypatch, tmp_path):
    """Of the third number each has another transaction; the ninth is only in the old one. Clients that reconnected are
    none of the old primary's."""
    monkeypatch.setattr(rejoin, "SCHEMA", binlog_bytes.SCHEMA)
    old = binlog(tmp_path / "old", (0, 1, 1), (0, 2, 2), (0, 3, 3), (0, 4, 9))
    new = binlog(tmp_path / "new", (0, 1, 1), (0, 2, 2), (1, 1, 3), (FIRST, 1, 4))
    known = SimpleNamespace(primary=old, new=new, secret=binlog_bytes.SECRET)
    found, problems = rejoin._gtids(known)
    assert (found.swapped, found.errant, problems) == (("0-7-3",), ("0-7-9",), ())
    assert found.named.tolist() == keys((0, 1), (0, 2), (1, 1)).tolist()
    known.new.sandbox.datadir = tmp_path
    found, (problem,) = rejoin._gtids(known)
    assert found is None and problem.startswith("the binlogs could not be compared: ")


GTIDS = GtidsSeen((), (), keys())


@pytest.fixture
def came_back(monkeypatch):
    """`came_back(policy, ...)`: the evidence, and what the old primary was told."""
    monkeypatch.setattr(rejoin, "_gtids", lambda known: (GTIDS, ("gtids unread",)))
    monkeypatch.setattr(rejoin, "_joined", lambda known, kind, node: f"{node.name} joined")
    monkeypatch.setattr(rejoin, "_rebuilt", lambda known, kind: "rebuilt")
    monkeypatch.setattr(rejoin, "_as", lambda known, kind: {"init_rpl_role": "SLAVE"})
    monkeypatch.setattr(rejoin, "read", lambda node, secret: (SEEN, (f"{node.name} read",)))

    def told(policy, **how):
        done, replicas = [], tuple(node([], name=f"replica {number}") for number in (1, 2))
        primary = node(done, name="primary", **how)
        known = promoted(
            topology=f"async+replicas=2+policy={policy}", primary=primary, replicas=replicas, new=replicas[0],
            problems=("earlier",),
        )  # fmt: skip
        return rejoin.come_back(known, None), done

    return told


def test_an_old_primary_returns_with_its_own_data(came_back):
    found, done = came_back("careful")
    assert found.returns and done == [("restart", {"init_rpl_role": "SLAVE"})]
    assert (found.old, found.rejoined, found.gtids, found.stays_down) == (SEEN, "primary joined", GTIDS, "")
    assert found.others == (("replica 2", "replica 2 joined"),)
    assert found.problems == ("earlier", "gtids unread", "primary read")


def test_an_old_primary_that_does_not_start_says_why(came_back):
    found, _ = came_back("careful", restart=ServerEnded("page 3"))
    assert (found.returns, found.stays_down, found.old, found.rejoined) == (True, "page 3", None, None)


def test_a_rebuilt_primary_is_never_started_with_its_own_data_and_one_that_stays_away_is_not_asked(came_back):
    found, done = came_back("old-rebuilt")
    assert (found.returns, found.rejoined, found.old, done) == (True, "rebuilt", None, [])
    found, done = came_back("old-away")
    assert (found.returns, found.rejoined, found.gtids, done) == (False, None, None, [])
    assert found.others == (("replica 2", "replica 2 joined"),)


@pytest.mark.parametrize(
    ("follows", "start", "found"),
    [
        (Followed("caught up"), None, replace(COMPARED, errant="domain 0: 8")),
        (Followed("stopped", "1236: diverged"), None, ReplicaSeen(REJOIN, "stopped", "1236: diverged", None, SEEN)),
        (Followed("unknown", "late"), None, ReplicaSeen(REJOIN, "unknown", "late", None, SEEN)),
        (None, SandboxError("gone"), ReplicaSeen(REJOIN, "unknown", str(SandboxError("gone")), None, SEEN)),
    ],
)
@pytest.mark.parametrize("running", [True, False])
def test_a_node_that_joins_is_compared_or_read_all_the_same(monkeypatch, follows, start, found, running):
    done = []
    how = {"follow_to_rest": lambda limit_s: follows, "errant": lambda: "domain 0: 8"}
    link = SimpleNamespace(start=Does(done, start=start).start, **how)
    monkeypatch.setattr(rejoin, "Link", lambda source, follower: link)
    monkeypatch.setattr(rejoin, "_demote", lambda known, kind, link: done.append("demote"))
    monkeypatch.setattr(rejoin, "compared", lambda new, node, secret: COMPARED)
    monkeypatch.setattr(rejoin, "refused", read_all_the_same)
    known = SimpleNamespace(
        new=node([]), primary="another", secret=SECRET, outlast_pause=lambda more_s: done.append(("pause", more_s))
    )
    assert rejoin._joined(known, None, node(done, running)) == found
    assert done == [("pause", 0), *([] if running else [("restart", {})]), "demote", ("start",)]
    known.primary, _ = node(done), done.clear()
    assert rejoin._joined(known, None, known.primary) == found and done == ["demote", ("start",)], "it has been ended"


@pytest.mark.parametrize(
    ("flavour", "of_primary", "asked"),
    [("mariadb", True, [("SET GLOBAL gtid_slave_pos = %s", ["0-1-9"])]), ("mariadb", False, []), ("mysql", True, [])],
)
def test_only_a_former_primary_goes_on_from_its_own_binlog(monkeypatch, flavour, of_primary, asked):
    done, retired = [], []
    monkeypatch.setattr(rejoin, "connect", nullcontext)
    monkeypatch.setattr(rejoin.ask, "rows", lambda connection, sql, args: done.append((sql, args)))
    monkeypatch.setattr(rejoin.dialects, "of", lambda build: DIALECTS[flavour][-1])
    primary, replica = (SimpleNamespace(target=name) for name in ("primary", "replica"))
    known = SimpleNamespace(
        setup=SimpleNamespace(build=None), replicas=[SimpleNamespace(sandbox=one) for one in (replica, "other")]
    )
    link = SimpleNamespace(follower=primary if of_primary else replica, written=lambda connection: "0-1-9")
    rejoin._demote(known, SimpleNamespace(retire=retired.append), link)
    assert done == asked and len(retired) == 1


AS_IT_WAS, AS_A_REPLICA = (
    next(key for key, one in POLICIES.items() if one.old_primary == way) for way in ("as it was", "as a replica")
)
OTHER_HALF = {"primary_enabled": "OFF", "replica_enabled": "ON", "init_rpl_role": "SLAVE"}


@pytest.mark.parametrize(("policy", "settings"), [(AS_IT_WAS, {}), (AS_A_REPLICA, OTHER_HALF)])
def test_the_policy_says_with_which_half_of_the_replication_an_old_primary_returns(policy, settings):
    halves = {"primary": {"primary_enabled": "ON", "timeout": "1"}, "replica": {"replica_enabled": "ON"}}
    kind = SimpleNamespace(settings=lambda topology, build, role: halves[role])
    assert rejoin._as(promoted(topology=f"async+policy={policy}"), kind) == settings


def test_a_position_by_file_is_the_last_byte_of_the_source(monkeypatch):
    logs = [(b"binlog.000001", 99, b"No"), (b"binlog.000002", "4711", b"No")]
    monkeypatch.setattr(position.ask, "rows", lambda connection, sql: logs)
    status = {"Relay_Master_Log_File": "binlog.000002", "Exec_Master_Log_Pos": "4711"}
    monkeypatch.setattr(position.FileLink, "status", lambda self, follower: status)
    build = SimpleNamespace(flavour="mariadb", version=(10, 11, 19), title="MariaDB")
    follower = SimpleNamespace(build=build, target=None)
    link = position.link(parse("async+position=file"), None, follower, "secret", 99)
    assert (link.password, link.port, link.written(None), link.applied(None)) == (
        "secret", 99, "binlog.000002:4711", "binlog.000002:4711",
    )  # fmt: skip
    assert "MASTER_LOG_FILE = 'binlog.000002', MASTER_LOG_POS = 4711" in link.position(None)
    assert not link.is_behind(None, None)
    status["Exec_Master_Log_Pos"] = "4000"
    assert link.is_behind(None, None)
    assert not isinstance(position.link(parse("async"), None, follower, "secret", 0), position.FileLink)


@pytest.mark.parametrize(("version", "refused"), [((8, 2, 9), False), ((8, 3, 0), True), ((9, 7, 0), True)])
def test_newer_mysql_keeps_its_position_in_a_table_only(version, refused):
    build = SimpleNamespace(flavour="mysql", version=version, title="MySQL")
    assert bool(position.problems(parse("async+position=file"), build)) is refused
