"""Verdict badges: only what this installation measured with the same settings, flavour and version."""

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from dashboard.findings.crash import badges as of_servers
from dashboard.findings.crash import tried_settings
from dashboard.findings.crash.durability import DECIDING
from dashboard.findings.crash.tried_settings import note_tried_settings
from dashboard.records.experiments.models import WORDS, Environment, Experiment
from dashboard.records.servers.models import Preflight
from tests.unit.results import factory, trials


def badges(server):
    return of_servers.badges(of_servers.tried_like(server))


pytestmark = pytest.mark.django_db
SETTINGS = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}


def asked(version="10.11.6-MariaDB", flavour="mariadb", words=(), **settings):
    server = factory.server("the one in question", host="h")
    facts = {"flavour": flavour, "version_text": version, "settings": {**SETTINGS, **settings}, "words": words}
    Preflight.objects.create(server=server, state="done", facts=facts)
    return server


@pytest.fixture
def measured():
    one = trials.experiment({}, measured=0, levels={"1/1": 10.0, "1/0": 10.0})
    for variant, sync in zip(one.plan["variants"], ("1", "0"), strict=True):
        variant["settings"] = {"sync_binlog": sync}
    one.save()
    rates = {
        "1/1": {"power-loss": [(0, 0)] * 30, "process-kill": [None], "lying-disk": [(9, 9)]},
        "1/0": {"power-loss": [(2, 900)] * 4},
    }
    trials.add(one, rates, factory.environment_row(innodb_flush_log_at_trx_commit="1"))
    return one


def test_badges_tell_the_trials_at_the_servers_present_settings(measured):
    found = badges(asked())
    assert [(one.kind, one.state) for one in found] == [("process kill", "unknown"), ("power loss", "passed")]
    assert found[1].says == "nothing lost in 30 power losses, too few to be sure"
    assert found[1].experiment_id == measured.pk
    assert found[1].experiments == 1


def test_unclear_trials_do_not_count_as_passed(measured):
    trials.add(measured, {"1/1": {"torn-power-loss": [(0, 0), None]}}, measured.trials.first().environment)
    found = badges(asked())[-1]
    assert (found.kind, found.state) == ("torn power loss", "unknown")
    assert found.says.endswith("nothing lost in 1 torn power loss, too few to be sure; 1 more unclear")


def test_a_repeated_trial_does_not_weigh_a_badge(measured):
    first = measured.trials.filter(kind="power-loss", variant="1/1").first()
    for kind in ("power-loss", "torn-power-loss"):
        trials.trial(measured, first.server_id, "1/1", kind, 1, (5, 5), repeat_of=first, environment=first.environment)
    assert [(one.kind, one.state) for one in badges(asked())] == [("process kill", "unknown"), ("power loss", "passed")]


def test_a_badge_tells_of_failed_trials(measured):
    assert [(one.kind, one.state) for one in badges(asked(sync_binlog="0"))] == [("power loss", "failed")]


@pytest.mark.parametrize(
    ("version", "neighbour"),
    [("10.11.6", ""), ("10.11.9", "10.11.6"), ("10.11.12", "10.11.14"), ("10.11.10", "10.11.14")],
)
def test_the_nearest_version_counts_where_its_own_was_not_tried(measured, version, neighbour):
    later = trials.experiment({}, measured=0, levels={"1/1": 10.0})
    later.plan["variants"][0]["settings"] = SETTINGS
    later.save()
    where = factory.environment_row(version="10.11.14-MariaDB")
    trials.add(later, {"1/1": {"power-loss": [(1, 1)] * 2}}, where)
    found = next(one for one in badges(asked(f"{version}-MariaDB-log")) if one.kind == "power loss")
    assert found.neighbour == neighbour
    assert found.state == ("failed" if neighbour == "10.11.14" else "passed")
    assert found.says.endswith(f" on {neighbour}") == bool(neighbour)


@pytest.mark.parametrize(
    "other",
    [
        {"version": "10.6.1-MariaDB"},
        {"flavour": "mysql"},
        {"innodb_flush_log_at_trx_commit": "2"},
        {"sync_binlog": "100"},
    ],
)
def test_trials_at_other_settings_or_versions_make_no_badge(measured, other):
    assert badges(asked(**other)) == []


def test_a_badge_of_trials_that_all_could_not_tell_claims_no_failure(measured):
    assert badges(asked())[0].says == "1 process kill unclear"


def test_an_experiment_whose_self_test_failed_makes_no_badge(measured):
    measured.trials.filter(kind="lying-disk").update(verdict="valid")
    assert badges(asked()) == []


def test_trials_of_another_engine_make_no_badge(measured):
    for variant in measured.plan["variants"]:
        variant["engine"] = "rocksdb"
    measured.save()
    assert badges(asked()) == []


def test_a_badge_of_myrocks_goes_by_the_variable_of_myrocks(measured):
    for variant in measured.plan["variants"]:
        variant["engine"] = "ROCKSDB"
        variant["settings"]["rocksdb_flush_log_at_trx_commit"] = "1"
    measured.save()
    assert badges(asked()) == [], "a server without MyRocks"
    found = badges(asked(rocksdb_flush_log_at_trx_commit="1"))
    assert [(one.kind, one.state) for one in found][1] == ("MyRocks, power loss", "passed")
    assert badges(asked(rocksdb_flush_log_at_trx_commit="1", rocksdb_manual_wal_flush="OFF")) == []


def test_innodb_is_known_in_every_spelling(measured):
    for variant in measured.plan["variants"]:
        variant["engine"] = "InnoDB"
    measured.save()
    assert len(badges(asked())) == 2


def test_a_server_that_never_answered_has_no_badge(measured):
    assert badges(factory.server("new", host="n")) == []


def test_a_badge_links_to_its_trials(measured):
    html = render_to_string("results/_tried_settings.html", {"verdicts": badges(asked())})
    cell = f"/results/{measured.pk}/trials/?variant=0&amp;server=0&amp;crash=power-loss"
    assert f'href="{cell}"' in html and "nothing lost in 30 power losses" in html
    assert "No crash trial ran" in render_to_string("results/_tried_settings.html", {"verdicts": []})


def test_badges_need_few_queries(measured, django_assert_max_num_queries):
    server = asked()
    with django_assert_max_num_queries(8):
        badges(server)


def noted(one):
    """As the worker does at its end."""
    note_tried_settings(one)
    type(one).objects.filter(pk=one.pk).update(finding_words=WORDS)


HELD = [(0, 0)]
RELEASES = {"mysql": "8.0.33", "mariadb": "10.11.9-MariaDB"}


def tells(server, variant, flavour="mariadb", version="", engine="innodb", words=()):
    """What the badge of a server with these settings says where a variant with those was crashed and held; "" for none.
    The trials are stored as a worker stores them."""
    version = version or RELEASES[flavour]
    one = trials.experiment({}, measured=0, levels={"held": 10.0})
    one.plan["variants"][0] |= {"settings": variant, "engine": engine}
    one.save()
    data = {"server": {"flavour": flavour, "version": version, "variables": {}}}
    trials.add(one, {"held": {"power-loss": HELD * 3}}, Environment.objects.create(digest=version, data=data))
    noted(one)
    return next((badge.state for badge in badges(asked(version, flavour, words, **server))), "")


@pytest.mark.parametrize(("binlog", "state"), [("ON", ""), ("OFF", "passed")])
def test_trials_without_the_binlog_tell_nothing_of_a_server_with_it(binlog, state):
    """With it, sync_binlog=0 loses what the engine had flushed: docs/research/crash-matrix.md."""
    held = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "0", "log_bin": "OFF"}
    assert tells({**held, "log_bin": binlog}, held) == state


@pytest.mark.parametrize(("method", "state"), [("O_DIRECT", "failed"), ("fsync", "passed")])
def test_of_torn_pages_it_tells_what_the_servers_own_way_of_flushing_did(method, state):
    one = trials.experiment({}, measured=0, levels={"O_DIRECT": 10.0, "fsync": 10.0})
    for variant in one.plan["variants"]:
        variant["settings"] = {**SETTINGS, "log_bin": "ON", "innodb_flush_method": variant["name"]}
    one.save()
    data = {"server": {"flavour": "mysql", "version": "9.7.4", "variables": {}}}
    place = Environment.objects.create(digest="9.7.4", data=data)
    rates = {"O_DIRECT": [(1, 0), *HELD * 29], "fsync": HELD * 30}
    trials.add(one, {name: {"torn-power-loss": lost} for name, lost in rates.items()}, place)
    (found,) = badges(asked("9.7.4", "mysql", log_bin="ON", innodb_flush_method=method))
    assert found.state == state
    assert ("commits lost in 1 of 30" if state == "failed" else "nothing lost in 30 torn power losses") in found.says


# setting, what the server has, what the variant says, what it says otherwise, flavour and version
BOTH_NAME_IT = [
    ("innodb_flush_log_at_trx_commit", "1", "1", "2", "mariadb", ""),
    ("innodb_flush_log_at_timeout", "1", "1", "10", "mariadb", ""),
    ("innodb_flush_method", "fsync", "FSYNC", "O_DIRECT", "mariadb", ""),
    ("innodb_flush_method", "", "fsync", "O_DSYNC", "mysql", "5.6.14"),
    ("innodb_flush_method", "NULL", "fsync", "O_DIRECT", "mariadb", "10.2.11-MariaDB"),
    ("innodb_doublewrite", "ON", "1", "OFF", "mariadb", ""),
    ("innodb_doublewrite", "OFF", "0", "ON", "mysql", ""),
    ("innodb_doublewrite", "ON", "DETECT_AND_RECOVER", "DETECT_ONLY", "mysql", ""),
    ("innodb_doublewrite", "fast", "FAST", "ON", "mariadb", "11.8.6-MariaDB"),
    ("innodb_support_xa", "ON", "1", "OFF", "mysql", "5.5.34"),
    ("innodb_force_recovery", "0", "0", "1", "mysql", ""),
    ("sync_binlog", "1", "1", "0", "mysql", ""),
    ("log_bin", "1", "ON", "OFF", "mysql", ""),
    ("log_bin", "OFF", "0", "ON", "mysql", ""),
    ("binlog_storage_engine", "innodb", "InnoDB", "", "mariadb", "12.3.1-MariaDB"),
]


@pytest.mark.parametrize(("name", "has", "same", "other", "flavour", "version"), BOTH_NAME_IT)
def test_a_setting_that_both_name_decides(name, has, same, other, flavour, version):
    assert tells({name: has}, {**SETTINGS, name: same}, flavour, version) == "passed"


@pytest.mark.parametrize(("name", "has", "same", "other", "flavour", "version"), BOTH_NAME_IT)
def test_with_another_value_it_tells_nothing(name, has, same, other, flavour, version):
    assert tells({name: has}, {**SETTINGS, name: other}, flavour, version) == ""


# setting, what it is where the variant does not name it, another value of the server, flavour and version
LEFT_OUT = [
    ("innodb_flush_log_at_trx_commit", "1", "2", "mysql", ""),
    ("innodb_flush_log_at_timeout", "1", "5", "mysql", ""),
    ("innodb_flush_method", "O_DIRECT", "fsync", "mariadb", "10.6.1-MariaDB"),
    ("innodb_flush_method", "fsync", "O_DIRECT", "mariadb", "10.5.23-MariaDB"),
    ("innodb_flush_method", "", "O_DIRECT", "mysql", "5.5.34"),
    ("innodb_flush_method", "fsync", "O_DIRECT", "mysql", "8.0.33"),
    ("innodb_flush_method", "O_DIRECT", "fsync", "mysql", "8.4.0"),
    ("innodb_doublewrite", "ON", "OFF", "mysql", ""),
    ("innodb_support_xa", "ON", "OFF", "mysql", "5.6.14"),
    ("innodb_force_recovery", "0", "6", "mariadb", ""),
    ("log_bin", "OFF", "ON", "mysql", ""),
    ("log_bin", "0", "1", "mariadb", ""),
    ("sync_binlog", "0", "1", "mariadb", ""),
    ("sync_binlog", "0", "1", "mysql", "5.6.14"),
    ("sync_binlog", "1", "0", "mysql", "8.0.33"),
    ("binlog_storage_engine", "", "innodb", "mariadb", "12.3.1-MariaDB"),
]


@pytest.mark.parametrize(("name", "default", "other", "flavour", "version"), LEFT_OUT)
def test_a_setting_that_the_variant_omits_has_the_default_of_the_sandbox(name, default, other, flavour, version):
    variant = {one: value for one, value in SETTINGS.items() if one != name}
    assert tells({name: default}, variant, flavour, version) == "passed"


@pytest.mark.parametrize(("name", "default", "other", "flavour", "version"), LEFT_OUT)
def test_a_server_that_decided_otherwise_is_told_nothing(name, default, other, flavour, version):
    variant = {one: value for one, value in SETTINGS.items() if one != name}
    assert tells({name: other}, variant, flavour, version) == ""


@pytest.mark.parametrize("name", [name for name in DECIDING["innodb"] if name not in SETTINGS])
def test_a_setting_that_the_server_does_not_report_does_not_agree(name):
    assert tells({}, {**SETTINGS, name: "ON"}) == ""


def test_a_setting_that_neither_side_names_is_ignored():
    assert tells({}, SETTINGS) == "passed"


@pytest.mark.parametrize("name", ["innodb_buffer_pool_size", "performance_schema", "binlog_format"])
def test_a_setting_that_does_not_affect_durability_may_differ(name):
    assert tells({name: "a"}, {**SETTINGS, name: "b"}) == "passed"


@pytest.mark.parametrize(("has", "state"), [("ON", "passed"), ("OFF", "")])
def test_a_setting_that_no_variant_can_set_is_read_from_the_preflight_words(has, state):
    assert tells({}, SETTINGS, "mysql", "5.6.14", words=[["innodb_support_xa", has, "Engine and binlog ..."]]) == state


@pytest.mark.parametrize(
    ("variant", "state"),
    [
        ({}, "passed"),
        ({"rocksdb_manual_wal_flush": "0"}, ""),
        ({"innodb_doublewrite": "OFF"}, "passed"),
        ({"log_bin": "1"}, "passed"),
        ({"log_bin": "OFF"}, ""),
    ],
)
def test_of_myrocks_its_own_settings_and_the_binlogs_decide(variant, state):
    ran = {"rocksdb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "log_bin": "ON"}
    server = {**ran, "rocksdb_manual_wal_flush": "ON", "innodb_doublewrite": "ON"}
    assert tells(server, {**ran, **variant}, engine="rocksdb") == state


@pytest.mark.parametrize("version", ["11.4.5-MariaDB", "10.11.7-MariaDB", "10.11.5-MariaDB"])
def test_a_build_that_was_updated_in_between_makes_no_badge(measured, version):
    newer = factory.environment_row(version=version, innodb_flush_log_at_trx_commit="1")
    measured.trials.filter(variant="1/1", repeat__gt=20).update(environment=newer)
    assert badges(asked()) == []
    assert badges(asked(sync_binlog="0")) != []


@pytest.mark.parametrize("is_noted", [True, False])
def test_trials_are_found_behind_many_newer_experiments_with_other_settings(measured, monkeypatch, is_noted):
    """Where nothing is noted yet, as right after an upgrade, only the newest are read."""
    monkeypatch.setattr(tried_settings, "MOST_EXPERIMENTS", 3)
    for kind in ("power-loss", "process-kill", "torn-power-loss", "process-kill"):
        newer(measured, kind, sync_binlog="100")
    for one in Experiment.objects.all() if is_noted else ():
        noted(one)
    assert [one.kind for one in badges(asked())] == (["process kill", "power loss"] if is_noted else [])


def test_of_each_crash_kind_it_rests_on_the_newest_experiments(measured, monkeypatch):
    """The failure of the oldest is told as long as fewer than MOST_EXPERIMENTS newer ones passed."""
    monkeypatch.setattr(tried_settings, "MOST_EXPERIMENTS", 3)
    noted(measured)
    for _ in range(3):
        assert [one.experiments for one in badges(asked()) if one.kind == "power loss"] == [1]
        noted(newer(measured, "process-kill", sync_binlog="1"))
    for _ in range(2):
        noted(newer(measured, "power-loss", sync_binlog="1"))
    assert [(one.kind, one.experiments) for one in badges(asked())] == [("process kill", 4), ("power loss", 3)]
    noted(newer(measured, "power-loss", sync_binlog="1"))
    assert [(one.kind, one.experiments) for one in badges(asked())] == [("process kill", 3), ("power loss", 3)]


def newer(measured, kind, **settings):
    one = trials.experiment({}, measured=0, levels={"1/1": 10.0})
    one.plan["variants"][0]["settings"] = settings
    one.save()
    trials.add(one, {"1/1": {kind: [(0, 0)]}}, measured.trials.first().environment)
    return one


def test_the_noted_settings_are_replaced_at_each_end_of_an_experiment(measured):
    noted(measured)
    assert {(one.kind, len(one.key)) for one in measured.tried_settings.all()} == {
        ("power-loss", 64), ("process-kill", 64),
    }  # fmt: skip
    measured.trials.filter(kind="process-kill").delete()
    noted(measured)
    assert [one.kind for one in measured.tried_settings.order_by("pk")] == ["power-loss"] * 2
    measured.imported_at = timezone.now()
    noted(measured)
    assert not measured.tried_settings.exists() and badges(asked()) == []


@pytest.mark.parametrize(("engine", "flavour"), [("Aria", "mariadb"), ("InnoDB", "")])
def test_trials_that_can_stand_for_no_server_are_not_noted(measured, engine, flavour):
    """Of an engine whose settings are not known, or of a server that did not say what it is."""
    noted(measured)
    assert measured.tried_settings.exists()
    for variant in measured.plan["variants"]:
        variant["engine"] = engine
    measured.save()
    where = measured.trials.first().environment
    where.data["server"]["flavour"] = flavour
    where.save()
    noted(measured)
    assert not measured.tried_settings.exists()


def test_the_link_leads_to_the_very_trials(client_in, measured):
    found = badges(asked(sync_binlog="0"))
    assert found[0].cell == f"/results/{measured.pk}/trials/?variant=1&server=0&crash=power-loss"
    page = client_in.get(found[0].cell).text
    assert "1/0 lost acknowledged commits in 4 of 4 power losses" in page and "of 4 power losses" in page


def test_a_failover_says_nothing_of_a_server_alone(measured):
    measured.plan["variants"][0]["topology"] = "async+rtt=20ms"
    measured.save()
    assert badges(asked()) == []


@pytest.mark.parametrize(("number", "where"), [(3, "db1, db2 and db3"), (4, "4 servers")])
def test_a_badge_names_up_to_three_servers(number, where):
    servers = [factory.server(f"db{n}", host="h") for n in range(1, number + 1)]
    one = trials.experiment({}, measured=0, levels={"1/1": 10.0}, servers=servers)
    one.plan["variants"][0]["settings"] = SETTINGS
    one.save()
    environment = factory.environment_row()
    for server in servers:
        trials.trial(one, server.pk, "1/1", "power-loss", 1, (0, 0), environment=environment)
    (found,) = badges(asked())
    assert found.where == where
