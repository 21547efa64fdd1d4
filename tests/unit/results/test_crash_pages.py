"""Matrix, list of trials and result page: what they show, to whom, and how many questions they ask."""

import re

import pytest
from django.urls import reverse

from dashboard.findings.document import everything
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.matrix import matrix
from dashboard.pages.results.page import shown_to
from dashboard.records.experiments.models import Trial, TrialEvidence
from dashboard.records.sharing.actions import share
from tests.unit.results import factory, trials
from tests.unit.results.recorded_trials import BAD, GOOD, loads

pytestmark = pytest.mark.django_db


def page(client, experiment, **query):
    return client.get(reverse("results:page", args=[experiment.pk]), query)


def rows_of(experiment):
    return matrix(shown_to(experiment, {}, shared=False), Addresses(experiment.pk))


def looks(experiment):
    return {row.name: {cell.kind: cell.look for cell in row.cells} for row in rows_of(experiment)}


def test_the_result_page_shows_marks_then_words_speed_and_matrix(client_in):
    html = page(client_in, trials.experiment()).content.decode()
    marks = ("table-chart", "finding", 'data-chart="risk"', 'data-chart="throughput"', 'id="crash-matrix"')
    places = [html.index(mark) for mark in marks]
    assert places == sorted(places)
    assert re.search(
        r"times as fast as 1/1 \(95\u00a0% confidence interval [\d.]+ to [\d.]+\), but lost acknowledged commits", html
    )
    assert not re.search(r"\sstyle=|<style|\son\w+=", html)


def test_a_result_without_crashes_shows_nothing_of_them(client_in):
    html = page(client_in, factory.experiment()).content.decode()
    for word in ("crash-matrix", 'data-chart="risk"', "lost nothing", "self-test", "My setting"):
        assert word not in html


def test_a_result_of_crashes_alone_is_shown(client_in):
    experiment = trials.experiment()
    experiment.cells.all().delete()
    experiment.plan = {**experiment.plan, "workloads": [], "threads": []}
    experiment.save()
    response = page(client_in, experiment)
    assert response.status_code == 200
    assert "Nothing was measured" not in response.content.decode()
    assert "0/0 lost acknowledged commits" in re.sub(r"\s+", " ", response.content.decode())


def test_trials_without_loss_beside_unclear_ones_are_not_green():
    rates = {"1/1": {"power-loss": [(0, 0)] * 20 + [None]}, "2/0": {"power-loss": [(5, 5), None]}}
    assert looks(trials.experiment(rates)) == {"1/1": {"power loss": "unknown"}, "2/0": {"power loss": "few"}}


def test_colours_echo_what_happened():
    rates = {
        "1/1": {"power-loss": [(0, 0)], "lying-disk": [(9, 9)], "process-kill": [None]},
        "2/0": {"power-loss": [(5, 5)]},
        "0/0": {"power-loss": [(500, 0)], "process-kill": [(0, 3)]},
    }
    assert looks(trials.experiment(rates)) == {
        "1/1": {"process kill": "unknown", "power loss": "scarce"},
        "2/0": {"process kill": "untried", "power loss": "few"},
        "0/0": {"process kill": "few", "power loss": "many"},
    }


@pytest.mark.parametrize(("trials_", "look", "weak"), [(35, "scarce", True), (36, "held", False)])
def test_green_is_kept_for_so_many_trials_that_at_most_a_tenth_of_crashes_can_lose_commits(
    client_in, trials_, look, weak
):
    made = trials.experiment({"1/1": {"power-loss": [(0, 0)] * trials_}})
    assert looks(made) == {"1/1": {"power loss": look}}
    shown = page(client_in, made)
    assert shown.context["answer"].recommendation.is_weak == weak
    assert ('class="recommendation weak"' in shown.text) == weak


@pytest.mark.parametrize(("lost", "look"), [(99, "few"), (100, "many")])
def test_a_hundred_lost_commits_have_the_strongest_colour(lost, look):
    """Of the log that lost more."""
    for found in ((lost, 0), (0, lost), (5, lost)):
        assert looks(trials.experiment({"1/1": {"power-loss": [found]}}))["1/1"]["power loss"] == look


def test_cells_say_their_numbers_and_open_their_trials(client_in):
    experiment = trials.experiment()
    html = page(client_in, experiment).content.decode()
    cell = re.search(r'<td class="crash-cell many" data-label="power loss">.*?</td>', html, re.DOTALL)[0]
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", cell))
    assert "4 of 4" in words and words.index("binary log lost median 18,200 commits (the last") < words.index(
        "InnoDB lost median 1,320 commits (the last"
    )
    url = re.search(r'href="([^"]+)"', cell)[1].replace("&amp;", "&")
    listed = client_in.get(url).content.decode()
    assert listed.count('data-label="Verdict"') == 4
    assert "2/0 lost acknowledged commits" in listed and "(the binary log lost a median of 18,200 commits" in listed
    assert client_in.get(reverse("results:trials", args=[experiment.pk])).content.decode().count('Acknowledged"') == 56


def test_the_list_ignores_what_it_does_not_know(client_in):
    address = reverse("results:trials", args=[trials.experiment().pk])
    assert client_in.get(address, {"variant": "99", "server": "x", "crash": "<b>"}).status_code == 200


def test_a_long_list_has_pages(client_in):
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 201}}, measured=0)
    address = reverse("results:trials", args=[experiment.pk])
    first, second = (client_in.get(address, {"page": n}).content.decode() for n in (1, 2))
    assert (first.count('data-label="Verdict"'), second.count('data-label="Verdict"')) == (200, 1)
    assert "page=2" in first and "page=1" in second


def test_a_reader_of_a_link_sees_the_crashes_but_no_way_in(client, client_in):
    experiment = trials.experiment(name="crashes of db7.example.com")
    _, token = share(None, experiment)
    html = client.get(reverse("sharing:show", args=[token])).content.decode()
    assert "0 of 30" in html and 'data-chart="risk"' in html
    for secret in ("/srv/", "db7", "my.cnf", 'href="/results', "Starting crash recovery"):
        assert secret not in html
    chart = client.get(reverse("sharing:chart", args=[token, "risk", "json"]))
    assert chart.status_code == 200 and "db7" not in chart.content.decode()
    assert "db7" in page(client_in, experiment).content.decode()  # the positive control


def test_hosts_known_from_trials_alone_are_taken_out(client):
    experiment = trials.experiment({}, measured=0, levels={"made for db9": 10.0})
    where = factory.environment_row(hostname="db9")
    trials.add(experiment, {"made for db9": {"power-loss": [(0, 0)]}}, where)
    _, token = share(None, experiment)
    html = client.get(reverse("sharing:show", args=[token])).content.decode()
    assert "made for [removed]" in html and "db9" not in html


def test_trials_need_a_login(client):
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0)]}})
    for address in ("trials", experiment.pk), ("trial", experiment.trials.get().pk):
        assert client.get(reverse(f"results:{address[0]}", args=[address[1]])).status_code == 302


def test_an_export_has_every_trial_with_its_evidence():
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0), (3, 3), None]}})
    trial = experiment.trials.first()
    trial.environment = factory.environment_row(kernel="6.9")
    trial.save()
    document = everything(experiment)
    assert [row["verdict"] for row in document["trials"]] == ["valid", "invalid", "unknown"]
    assert document["trials"][1]["evidence"]["checks"][0]["outcome"] == "invalid"
    assert trial.environment_id in document["environments"]


def test_a_thousand_trials_ask_no_more_questions(client_in, django_assert_max_num_queries):
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0)]}, "2/0": {}})
    page(client_in, experiment)
    first = experiment.trials.get()
    data = first.evidence.data
    same = {name: getattr(first, name) for name in ("server_id", "state", "verdict", "acknowledged", "environment_id")}
    made = Trial.objects.bulk_create(
        Trial(experiment=experiment, variant="2/0", kind="power-loss", position=n, repeat=n, seed=n, lost_engine=0,
              lost_binlog=0, **same) for n in range(1, 1000)
    )  # fmt: skip
    TrialEvidence.objects.bulk_create(TrialEvidence(trial=trial, data=data) for trial in made)
    with django_assert_max_num_queries(14) as asked:
        response = page(client_in, experiment)
    assert "0 of 999" in response.content.decode()
    assert len(response.content) < 300_000
    assert not [query for query in asked.captured_queries if "my_cnf" in query["sql"]]


@pytest.mark.parametrize("state", ["waiting", "interrupted", "failed", "cancelled"])
def test_an_experiment_with_open_trials_can_be_resumed(client_in, state):
    experiment = trials.experiment(state="interrupted")
    resume = reverse("experiments:resume", args=[experiment.pk])
    assert resume not in page(client_in, experiment).content.decode()
    last = experiment.trials.last()
    Trial.objects.filter(pk=last.pk).update(state=state, verdict="")
    assert resume in page(client_in, experiment).content.decode()
    experiment.state = "running"
    experiment.save()
    assert resume not in page(client_in, experiment).content.decode()


def test_crashes_alone_have_a_result_too(client_in):
    experiment = trials.experiment()
    experiment.cells.all().delete()
    response = client_in.get(reverse("experiments:show", args=[experiment.pk]))
    assert response.headers["Location"] == reverse("results:page", args=[experiment.pk])


def test_the_list_says_which_trials_are_controls(client_in):
    """A lying disk's red *invalid* is what must come out."""
    experiment = trials.experiment(
        {"1/1": {"lying-disk": [(9, 9)], "graceful-restart": [(0, 0)], "power-loss": [(0, 0)]}}
    )
    html = client_in.get(reverse("results:trials", args=[experiment.pk])).text
    assert html.count("(self-test)") == 2


def test_the_first_sentence_holds_no_bound_and_is_not_told_twice(client_in):
    html = page(client_in, trials.experiment()).content.decode()
    first = re.search(r'<p\s+class="finding"\s*>(.*?)</p>', html, re.DOTALL)[1].strip()
    assert first == "1/1 lost nothing in 30 power losses."
    assert html.count("1/1 lost nothing in 30 power losses") <= 3  # the answer, the preview of a link, the Markdown


def recorded(other):
    """The cells of a setting whose load with crash points lost 3 commits, and whose power losses lost `other`."""
    made = trials.experiment({"2/0": {"power-loss": [other], "every-crash-point": [(3, 0)]}}, replica=False)
    made.plan["crash"]["kinds"] = ["power-loss", "every-crash-point"]
    made.save()
    for trial in made.trials.filter(kind="every-crash-point"):
        trial.evidence.data["points"] = BAD.as_stored()
        trial.evidence.save()
    return {cell.kind: cell for row in rows_of(made) for cell in row.cells}


@pytest.mark.parametrize(("other", "told"), [((0, 0), 1), ((5, 0), 0)])
def test_the_worst_crash_point_is_told_where_no_other_crash_tells_a_loss(other, told):
    """Beside a median power loss the worst crash point of another load would be compared with it."""
    assert len(recorded(other)["crash points"].losses) == told


def test_one_round_of_small_histories_is_one_round():
    (cell,) = rows_of(loads(GOOD, kind="small-histories"))[0].cells
    assert cell.share == "from 1 round of small histories: too few to be sure"
