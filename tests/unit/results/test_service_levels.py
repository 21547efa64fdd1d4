"""Service levels: set on a server, judged on each result, told in lists, reports and messages."""

import json

import pytest
from django.urls import reverse

from dashboard.findings.conclusion import remember
from dashboard.findings.service_level import service_levels
from dashboard.pages.results.page import shown_to
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.servers import levels
from dashboard.records.servers.levels import Wanted
from dashboard.records.servers.models import ServiceLevel
from dashboard.records.sharing.actions import share
from tests.markup import flat
from tests.unit.api.tokens import script
from tests.unit.crash.recorded_states import LOST, state, story
from tests.unit.results import factory, trials
from tests.unit.results.recorded_trials import loads
from tests.unit.schedules.made import somebody

pytestmark = pytest.mark.django_db
# At 8 threads: 1/1 4,290 commits/s (3 repeats, noise 5 %), 2/0 12,900, 0/0 25,700; the p99 of every run is 3 ms.


def judged(wanted, experiment=None):
    """Setting -> whether it meets each target."""
    one = experiment or trials.experiment()
    levels.agree(None, factory.server(), wanted)
    (found,) = service_levels(shown_to(one, {}, shared=False))
    return {setting.name: [target.met for target in setting.targets] for setting in found.settings}


def test_a_setting_meets_a_speed_with_its_whole_interval_only():
    assert judged(Wanted(4000)) == {"1/1": ["met"], "2/0": ["met"], "0/0": ["met"]}
    assert judged(Wanted(5000)) == {"1/1": ["missed"], "2/0": ["met"], "0/0": ["met"]}
    assert judged(Wanted(4285))["1/1"] == ["unclear"]


def test_throughput_and_p99_must_be_met_by_one_load():
    one = trials.experiment()
    assert judged(Wanted(4000, p99_ms=3.5), one)["1/1"] == ["met"]
    assert judged(Wanted(4000, p99_ms=2.5), one)["1/1"] == ["missed"]
    slow = Run.objects.filter(cell__threads=8, cell__variant="2/0")  # its single thread is below 4,000
    for run, p99 in zip(slow, (10, 20, 30), strict=True):
        Run.objects.filter(pk=run.pk).update(latency_ms={**run.latency_ms, "p99": p99})
    assert judged(Wanted(4000, p99_ms=9), one)["2/0"] == ["unclear"], "19.9 ms, with an interval from 0 to 45"
    slow.update(latency_ms={})
    assert judged(Wanted(4000, p99_ms=9), one)["2/0"] == ["unclear"], "no p99 was stored"


@pytest.mark.parametrize(("repeats", "often"), [(1, "once"), (2, "2 times")])
def test_too_few_repeats_are_unclear(repeats, often):
    one = trials.experiment()
    Run.objects.filter(cell__repeat__gt=repeats).delete()
    assert judged(Wanted(10), one)["1/1"] == ["unclear"]
    (found,) = service_levels(shown_to(one, {}, shared=False))
    assert found.settings[0].targets[0].measured.endswith(f"; measured {often}, at least 3 times are needed")


def test_a_crash_that_took_too_much_misses_and_few_crashes_decide_nothing():
    many = {"1/1": {"power-loss": trials.HELD * 36}, "0/0": {"power-loss": [(0, 0), (9, 0)]}}
    assert judged(Wanted(survives=["power"]), trials.experiment(many)) == {"1/1": ["met"], "0/0": ["missed"]}
    few = trials.experiment({"1/1": {"power-loss": trials.HELD * 30}, "0/0": {}})
    assert judged(Wanted(survives=["power"]), few) == {"1/1": ["unclear"], "0/0": ["unclear"]}


def test_the_time_that_a_crash_may_take_is_compared_with_the_log_that_lost_more():
    """21,000 commits in 19.1 s are gone from the binary log of 0/0 and 3.3 s from its engine."""
    often = trials.experiment({"0/0": {"power-loss": [(3665, 21000)] * 36}})
    assert judged(Wanted(survives=["power"], lost_s=20), often) == {"0/0": ["met"]}
    assert judged(Wanted(survives=["power"], lost_s=19), often) == {"0/0": ["missed"]}
    often.trials.update(lost_engine_ms=None, lost_binlog_ms=None)
    assert judged(Wanted(survives=["power"], lost_s=20), often) == {"0/0": ["unclear"]}


def test_a_trial_without_a_verdict_leaves_it_open_and_a_failure_without_a_loss_misses():
    held = trials.HELD * 40
    assert judged(Wanted(survives=["power"]), trials.experiment({"1/1": {"power-loss": held}})) == {"1/1": ["met"]}
    one = trials.experiment({"1/1": {"power-loss": [*held, None]}})
    assert judged(Wanted(survives=["power"]), one) == {"1/1": ["unclear"]}
    two = trials.experiment({"1/1": {"power-loss": held}})
    two.trials.filter(repeat=7).update(verdict="invalid", recovery_s=None)
    assert judged(Wanted(survives=["power"]), two) == {"1/1": ["missed"]}, "the server did not come back"


@pytest.mark.parametrize(
    ("held", "each", "met"),
    [(1, 600, "unclear"), (5, 120, "unclear"), (6, 16, "unclear"), (6, 17, "met"), (7, 100, "met")],
)
def test_many_crash_points_of_several_loads_decide(held, each, met):
    """The crash points of one load are not independent, however many there are."""
    one = loads(*[story(*(state(0.1 + n / 1000) for n in range(each)))] * held)
    assert judged(Wanted(survives=["power"]), one) == {"1/1": [met]}


def test_how_long_a_recorded_load_lost_commits_is_not_known():
    one = loads(story(*(state(0.1 + n / 1000) for n in range(200)), state(0.9, LOST, lost=3)))
    one.trials.update(lost_engine=3, lost_engine_ms=1.0)
    assert judged(Wanted(survives=["power"], lost_s=60), one) == {"1/1": ["unclear"]}
    assert judged(Wanted(survives=["power"]), one) == {"1/1": ["missed"]}


def test_losses_of_a_replica_or_a_history_do_not_decide_about_the_server():
    one = trials.experiment({"1/1": {"replica-crash-points": [(0, 0)], "small-histories": [(0, 0)]}})
    assert judged(Wanted(survives=["power"]), one)["1/1"] == ["unclear"]


def test_a_lying_disk_says_nothing_about_a_power_loss():
    only = trials.experiment({"1/1": {"lying-disk": [(21000, 21000)] * 3}})
    assert judged(Wanted(survives=["power", "kill", "failover"]), only)["1/1"] == ["unclear"] * 3


def test_the_result_its_report_and_the_list_say_it_and_a_guest_reads_nothing_of_it(client, client_in):
    one = trials.experiment()
    levels.agree(None, factory.server(), Wanted(5000, 20, ["power"], 0))
    remember(one)
    says = "1/1, 2/0 and 0/0 miss it."
    for page in (f"/results/{one.pk}/", f"/results/{one.pk}/report/", "/experiments/"):
        assert says in client_in.get(page).content.decode(), page
    assert (one.level, one.finding.endswith(f"Service level of db7 in rack 3: {says}")) == ("missed", True)
    asked = "At least 5,000 commits/s with a p99 of at most 20 ms; nothing lost in a power loss."
    assert asked in client_in.get(f"/results/{one.pk}/report/").content.decode()
    _, token = share(None, one)
    client.logout()
    shown = client.get(f"/shared/{token}/").content.decode()
    assert "ervice level" not in shown


def test_a_person_confirms_a_result_and_the_report_names_them(client):
    client.force_login(somebody())
    one = trials.experiment()
    report = f"/results/{one.pk}/report/"
    assert "Nobody yet." in client.get(report).content.decode()
    client.post(reverse("experiments:comment", args=[one.pk]), {"text": "Only a remark."})
    assert "Nobody yet." in client.get(report).content.decode()
    client.post(reverse("experiments:comment", args=[one.pk]), {"text": "Checked <b>by hand</b>.", "confirms": "1"})
    said = client.get(report).content.decode()
    assert "<b>dba</b>" in said and "Checked &lt;b&gt;by hand&lt;/b&gt;." in said and "Only a remark." not in said
    assert Event.objects.filter(did="confirmed").count() == 1
    one.state = "running"
    one.save(update_fields=["state"])
    client.post(reverse("experiments:comment", args=[one.pk]), {"text": "Too early.", "confirms": "1"})
    assert one.comments.filter(confirms=True).count() == 1, "only a finished result can be confirmed"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"p99_ms": "20"}, "A p99 needs a throughput"),
        ({"lost_s": "3"}, "Tick the crashes"),
        ({"commits_per_s": "nan"}, "Enter a number"),
        ({"commits_per_s": "1e400"}, "Enter a number"),
        ({"commits_per_s": "-4"}, "greater than or equal to 1"),
        ({"survives": ["fire"]}, "is not one of the available choices"),
    ],
)
def test_an_invalid_level_is_refused(client, given, says):
    client.force_login(somebody())
    one = factory.server(owner=somebody("owner"))
    client.force_login(one.owner)
    answer = client.post(f"/servers/{one.pk}/level/", given)
    assert says in answer.content.decode().replace("&#x27;", "'") and not ServiceLevel.objects.exists()


def test_only_the_owner_sets_it_and_an_empty_one_goes(client):
    owner, other = somebody("owner"), somebody("other")
    one = factory.server(owner=owner)
    given = {"commits_per_s": "4000", "p99_ms": "20", "survives": ["power", "kill"], "lost_s": "0"}
    client.force_login(other)
    assert client.post(f"/servers/{one.pk}/level/", given).status_code == 403
    client.force_login(owner)
    client.post(f"/servers/{one.pk}/level/", given)
    assert levels.of(one.pk) == Wanted(4000, 20, ("power", "kill"), 0)
    assert "At least 4,000 commits/s" in client.get(f"/servers/{one.pk}/").content.decode()
    client.post(f"/servers/{one.pk}/level/", {})
    assert levels.of(one.pk) is None
    done = Event.objects.values_list("did", flat=True)
    assert {"set the service level", "removed the service level"} <= set(done)


def test_the_api_keeps_to_the_rules_of_the_form(client):
    one = factory.server(owner=somebody("owner"))
    api = script(one.owner)
    address = f"/api/v1/servers/{one.pk}/service-level"
    assert api.get(address).json() == {"commits_per_s": None, "p99_ms": None, "survives": [], "lost_s": 0.0}
    assert api.put(address, json.dumps({"p99_ms": 3}), "application/json").status_code == 422
    wanted = {"commits_per_s": 4000.0, "p99_ms": None, "survives": ["power"], "lost_s": 0.0}
    assert api.put(address, json.dumps(wanted), "application/json").json() == wanted
    assert (
        script(somebody("guest", Role.VIEWER)).put(address, json.dumps(wanted), "application/json").status_code == 403
    )


def test_a_report_without_a_level_says_that_nothing_was_asked(client_in):
    report = f"/results/{trials.experiment().pk}/report/"
    without = "db7 in rack 3: no service level is set"
    assert without in client_in.get(report).content.decode()
    levels.agree(None, factory.server(), Wanted(5000))
    told = client_in.get(report).content.decode()
    assert without not in told and "RPO" not in told, "this level asks for no RPO"


def test_a_report_tells_the_seeds_of_the_trials(client_in):
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 43}, "2/0": {"process-kill": [(1, 0)] * 2}})
    trials.trial(one, factory.server().pk, "2/0", "process-kill", 2, (1, 0), repeat_of=one.trials.last())
    told = flat(client_in.get(f"/results/{one.pk}/report/").text)
    shown = ", ".join(map(str, range(91, 131)))
    assert f"<dt>1/1: power loss</dt><dd> {shown} and 3 more in the list of trials </dd>" in told
    assert "<dt>2/0: process kill</dt><dd> 91, 92 </dd>" in told, "a repeated trial has the seed of the first"


def test_a_report_tells_each_fact_of_a_server_once(client_in):
    """Builds and devices of the settings make several environments, which are mostly alike."""
    one = trials.experiment()
    Run.objects.filter(cell=one.cells.last()).update(environment=factory.environment_row(version="10.11.7-MariaDB"))
    told = flat(client_in.get(f"/results/{one.pk}/report/").text)
    assert told.count("server version</dt>") == told.count("kernel</dt>") == 1
    assert "server version</dt><dd>10.11.6-MariaDB, 10.11.7-MariaDB</dd>" in told
    assert "kernel</dt><dd>6.1.0</dd>" in told


def test_a_report_has_the_times_that_are_known(client_in):
    one = trials.experiment()
    for times, says in (
        ({"ended_at": None}, f"{factory.STARTED:%Y-%m-%d %H:%M} UTC, not ended yet, 18 measurements"),
        ({"started_at": None}, "18 measurements"),
    ):
        Experiment.objects.filter(pk=one.pk).update(**times)
        told = flat(client_in.get(f"/results/{one.pk}/report/").text)
        assert f"<dt>Measured</dt><dd> {says}" in told


def test_a_report_of_a_topology_says_that_its_network_is_simulated(client_in):
    one = trials.experiment()
    report, says = f"/results/{one.pk}/report/", "The network between them is simulated."
    assert says not in client_in.get(report).text
    one.plan["variants"][0]["topology"] = "async"
    one.save(update_fields=["plan"])
    assert says in client_in.get(report).text
