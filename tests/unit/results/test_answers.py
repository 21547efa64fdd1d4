"""The recommendation where speed alone was measured, and where several servers were."""

import re

import pytest
from django.urls import reverse

from dashboard.findings.conclusion import summary
from dashboard.records.sharing import actions as sharing
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
UNTRIED = "No crash was tried: what each setting loses is not known."


def guest(client, one):
    _, token = sharing.share(None, one)
    return client.get(f"/share/{token}/")


@pytest.mark.parametrize(("levels", "rival"), [((1000, 6100, 6000), "0/0"), ((1000, 12000, 6000), "2/0")])
def test_the_cost_is_against_the_setting_of_the_first_sentence_unless_another_is_faster(client_in, levels, rival):
    one = factory.experiment(dict(zip(("1/1", "2/0", "0/0"), levels, strict=True)))
    page = client_in.get(reverse("results:page", args=[one.pk]))
    assert f"fewer than {rival} (95" in page.context["answer"].cost


def test_speed_alone_says_that_no_crash_was_tried_what_safety_costs_and_what_comes_next(client, client_in):
    one = factory.experiment()
    for page in (client_in.get(f"/results/{one.pk}/"), guest(client, one)):
        answer = page.context["answer"]
        assert answer.recommendation.choice == UNTRIED and answer.recommendation.option == ""
        assert answer.recommendation.reasons == (
            "Next: run this again on a sandbox, with power losses and crash points.",
        )
        text = re.sub("[ \n]+", " ", page.content.decode())
        assert f"**{UNTRIED}**" in text and text.count(answer.cost) == 2  # the box and the hidden Markdown
        assert page.context["main"].chart.key == "throughput" and page.context["risk"] is None
        assert text.count('data-chart="throughput"') == 1
    assert re.fullmatch(
        r"At 8 threads 1/1 makes 4,290 commits per second, 83\s% fewer than 0/0 \(95\s% confidence interval "
        r"83\s% to 84\s%\)\. "
        r"A commit takes 1\.9\sms on average, with 0/0 about 0\.31\sms. "
        r"1/1 costs 1\.6\sms more per commit than 0/0 "
        r"\(95\s% confidence interval 1\.5\sms to 1\.6\sms\)\.",
        answer.cost,
    )
    told = summary(one)
    assert UNTRIED in told and answer.cost in told


def test_a_crash_that_was_tried_is_not_called_untried(client_in):
    page = client_in.get(f"/results/{trials.experiment().pk}/")
    assert UNTRIED not in page.text and not page.context["answer"].recommendation.is_open
    assert re.search(r"83\s% fewer than 0/0", page.context["answer"].cost)


def test_before_the_first_measurement_nothing_is_said(client_in):
    page = client_in.get(f"/results/{factory.experiment(measured=0, state='running').pk}/")
    assert page.context["answer"].recommendation is None and UNTRIED not in page.text


@pytest.mark.parametrize("make", [factory.experiment, trials.experiment])
def test_several_servers_are_chosen_from(client, client_in, make):
    """What is recommended for one server may lose commits on another."""
    one = make(servers=[factory.server("one"), factory.server("two")], seconds=8)
    for page in (client_in.get(f"/results/{one.pk}/"), guest(client, one)):
        found = page.context["answer"].recommendation
        assert found.is_open and found.option == "" and page.context["answer"].cost == ""
        links = page.context["each_server"]
        assert len(links) == 2 and all(f'<a href="{url}">{name}</a>' in page.text for name, url in links)
    first = client_in.get(f"/results/{one.pk}/?server=0")
    assert first.context["each_server"] == [] and first.context["answer"].cost
    if make is trials.experiment:
        assert found.choice == "No setting is recommended for several servers at once."
        assert first.context["answer"].recommendation.option == "1/1"
