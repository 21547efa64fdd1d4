"""Two experiments on the compare page: every point is paired, or named as one without a pair."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.findings.compare.figures import FIGURES
from dashboard.findings.looks import looks
from dashboard.pages.results.compare import offers
from dashboard.records.experiments.models import Experiment, Run, Series
from tests.unit.results import factory, trials
from tests.unit.results.test_result_pages import obeys_the_policy

pytestmark = pytest.mark.django_db
COMPARE = "/results/compare/"
NBSP = "\N{NO-BREAK SPACE}"
EIGHT = {
    f"{flush}/{sync}": 1000.0 * (n + 1) for n, (flush, sync) in enumerate((f, s) for f in (0, 1, 2, 3) for s in (0, 1))
}


def compare(client, a, b, **query):
    return client.get(reverse("results:compare"), {"a": a.pk, "b": b.pk, **query})


def test_every_point_of_two_ordinary_experiments_is_paired(client_in):
    old = factory.experiment(EIGHT, threads=(1, 2, 4, 8, 16, 32), seconds=4, name="before")
    new = factory.experiment({name: 2 * tps for name, tps in EIGHT.items()}, threads=(1, 2, 4, 8, 16, 32), seconds=4)
    page = compare(client_in, old, new)
    pairs = page.context["paired"].pairs
    assert len(pairs) == 48 and page.context["alone"] == [("A", ()), ("B", ())]
    assert {pair.ratio.decision for pair in pairs} == {"differs"}
    assert all(pair.ratio.lo < 2.05 and pair.ratio.hi > 1.95 for pair in pairs)
    assert page.context["finding"].text.startswith(
        "The throughput differs at 48 of 48 points that A and B measured; the largest of these differences is "
    )
    assert "times the throughput of A" in page.context["finding"].text
    slower = compare(client_in, new, old).context["finding"].text
    assert "; the largest of these differences is " in slower and "% of the throughput of A" in slower, (
        "B against A, always"
    )
    assert [pair.place.colour for pair in pairs[::6]] == [look.colour for look in looks(list(EIGHT))]
    assert page.text.count("<b>differs</b>") == 48 and obeys_the_policy(page)


def test_points_without_a_pair_are_named(client_in):
    a = factory.experiment({"1/1": 1000.0, "0/0": 2000.0, "2/0": 1500.0}, threads=(1, 8, 64))
    b = factory.experiment({"1/1": 1000.0, "0/0": 2000.0, "2/2": 3000.0}, threads=(1, 8))
    page = compare(client_in, a, b)
    assert len(page.context["paired"].pairs) == 4
    assert (
        "Only in A: 1/1 and 0/0 at 64 threads (update by key); 2/0 at 1, 8 and 64 threads (update by key)." in page.text
    )
    assert "Only in B: 2/2 at 1 and 8 threads (update by key)." in page.text
    assert "Not compared: 5 points that only A has, 2 points that only B has." in page.context["finding"].more


def test_two_experiments_without_a_common_point_say_so(client_in):
    a, b = factory.experiment({"1/1": 1000.0}, threads=(1,)), factory.experiment({"0/0": 2000.0}, threads=(1,))
    page = compare(client_in, a, b)
    assert page.context["finding"].text == "A and B have no point and no crash trial in common"
    assert "Only in A: 1/1 at 1 thread" in page.text and "Only in B: 0/0 at 1 thread" in page.text


def test_undecided_points_are_counted(client_in):
    a, b = factory.experiment(repeats=2), factory.experiment({name: 2 * tps for name, tps in factory.VARIANTS.items()})
    finding = compare(client_in, a, b).context["finding"]
    assert finding.text == "Whether the throughput differs is unclear at 6 of 6 points that A and B measured"
    assert not finding.interval
    assert "6 of 6 points: two repeats are too few to judge." in finding.more


ALL = "over all {} points together B has "
LEVELS = {"1/1": 1000.0, "0/0": 6000.0, "2/0": 3000.0}
GRIDS = ({"threads": (8,)}, {"threads": (8, 64)}, {"threads": (1, 8), "workloads": ("one row", "two rows")})


def below(percent, **grid):
    """All settings at so many percent."""
    return factory.experiment({name: tps * percent / 100 for name, tps in LEVELS.items()}, noise=0, **grid)


def scattered(repeats=3, **grid):
    """Each setting has another good and another bad repeat, so that none is decided by itself."""
    made = factory.experiment(LEVELS, repeats=repeats, noise=0, **grid)
    for nth, name in enumerate(LEVELS):
        for run in Run.objects.filter(cell__experiment=made, cell__variant=name):
            factor = (1.0, 1.1, 1 / 1.1)[(run.cell.repeat + nth) % 3]
            Series.objects.filter(run=run).update(columns={"tps": [run.tps * factor] * 30})
    return made


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("percent", [93, 107, 100])
def test_points_of_which_none_differs_by_itself_are_judged_together(client_in, grid, percent):
    b = scattered(**grid) if percent == 100 else below(percent, **grid)
    page = compare(client_in, scattered(**grid), b).context
    found, count = page["finding"], len(page["paired"].pairs)
    says = f"{ALL.format(count)}{percent}{'.0' if percent < 100 else ''}{NBSP}% of the throughput of A"
    if percent == 100:
        assert found.text == f"No difference in throughput was shown at {count} of {count} points that A and B measured"
        assert found.more[0].startswith(f"O{says[1:]} (geometric mean, ")
        assert found.more[0].endswith("): no difference is shown either.")
    else:
        assert found.text == f"No point shows a difference by itself, but {says}"
        assert found.interval.startswith("geometric mean, 95") and not any("shown" in one for one in found.more)


@pytest.mark.parametrize(("repeats", "told"), [(3, False), (4, True)])
def test_a_repeat_that_lacks_a_point_does_not_count(client_in, repeats, told):
    a, b = (scattered(repeats, threads=(8, 64)) for _ in "ab")
    Run.objects.get(cell__experiment=b, cell__variant="0/0", cell__threads=64, cell__repeat=2).delete()
    assert (compare(client_in, a, b).context["paired"].overall is not None) == told


def test_of_two_repeats_nor_beside_a_difference_nothing_is_said_of_all_points(client_in):
    for a, b in ((scattered(2, threads=(8, 64)), below(93, threads=(8, 64))), (below(100), below(50))):
        found = compare(client_in, a, b).context["finding"]
        assert not any("points together" in one for one in found.sentences)


def test_updates_are_not_held_against_commits(client_in):
    a, b = factory.experiment({"1/1": 1000.0}), factory.experiment({"1/1": 2000.0})
    b.plan["workloads"][0]["key"] = "durable-once-a-second"
    b.save()
    page = compare(client_in, a, b)
    assert [pair.ratio for pair in page.context["paired"].pairs] == [None, None]
    assert "2 of 2 points: A and B count different things." in page.context["finding"].more
    assert "A counts commits, B updates" in " ".join(page.text.split())


def test_single_servers_form_a_pair_and_several_are_paired_by_id(client_in):
    one, two, three = (factory.server(name) for name in ("one", "two", "three"))
    moved = compare(client_in, factory.experiment(servers=[one]), factory.experiment(servers=[two]))
    assert len(moved.context["paired"].pairs) == 6
    several = compare(client_in, factory.experiment(servers=[one, two]), factory.experiment(servers=[one, three]))
    assert [pair.place.server_id for pair in several.context["paired"].pairs].count(one.pk) == 6
    assert len(several.context["paired"].pairs) == 12, "two and three are the only further servers"
    unclear = compare(client_in, factory.experiment(servers=[one, two]), factory.experiment(servers=[three]))
    assert unclear.context["paired"].pairs == () and "Only in A: 1/1, one, " in unclear.text


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_drawn_as_a_ratio(client_in, figure):
    a, b = factory.experiment({"1/1": 1000.0}), factory.experiment({"1/1": 2000.0})
    chart = compare(client_in, a, b, figure=figure).context["picture"].chart
    assert [line.name for line in chart.series] == ["1/1"] and len(chart.table.rows) == 2
    rows = client_in.get(
        reverse("results:compare_chart", args=["compared", "csv"]), {"a": a.pk, "b": b.pk, "figure": figure}
    ).text.splitlines()
    assert len(rows) == 3 and ",B/A," in rows[0]


def test_the_compare_page_names_the_differences_of_the_environments(client_in):
    page = compare(client_in, factory.experiment(), factory.experiment(environment={"kernel": "6.12.0"}))
    assert page.context["unlike"] == [("kernel", ["6.1.0", "6.12.0"])]


def test_a_result_leads_here_and_one_experiment_is_no_pair(client_in):
    a = factory.experiment()
    result = client_in.get(reverse("results:page", args=[a.pk])).text
    assert f'href="{reverse("results:compare")}?a={a.pk}">Compare with' in result
    assert "A and B are the same experiment" in compare(client_in, a, a).text
    gone = factory.experiment()
    Experiment.objects.filter(pk=gone.pk).update(deleted_at=timezone.now())
    assert "was deleted, or never existed" in compare(client_in, a, gone).text


def test_points_that_a_plan_holds_and_nobody_measured_are_named(client_in):
    a, b = factory.experiment(threads=(1, 8), measured=1), factory.experiment(threads=(1, 8), measured=1)
    planned = [(cell.variant, cell.threads) for cell in b.cells.filter(state="waiting")]
    text = " ".join(compare(client_in, a, b).text.split())
    for side in "AB":
        said = re.search(rf"Planned and not measured in {side}: (.*?)</p>", text)[1]
        assert all(variant in said and str(threads) in said for variant, threads in planned)
    assert "Planned and not measured" not in compare(client_in, factory.experiment(), factory.experiment()).text


def test_crash_trials_of_both_stand_side_by_side(client_in):
    a = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 3}, "0/0": {"power-loss": [(5, 5)]}})
    b = trials.experiment(
        {"1/1": {"power-loss": [(0, 0), None], "lying-disk": [(9, 9)]}}, servers=[factory.server("b")]
    )
    context = compare(client_in, a, b).context
    rows = context["crashes"].rows
    assert (
        "Crash trials: A and B had different outcomes at none of 1 combination of setting and crash that both tried."
        in context["finding"].more
    )
    assert "B has 1 unclear trial at 1/1, power loss." in context["finding"].more, "unclear is no outcome"
    alike = compare(client_in, a, trials.experiment({"1/1": {"power-loss": [(0, 0)]}})).context["finding"].more
    assert (
        "Crash trials: A and B had different outcomes at none of 1 combination of setting and crash that both tried."
        in alike
    )
    assert not [says for says in alike if "unclear" in says]
    assert [(row.name, row.kind, row.a.state, row.b.state) for row in rows] == [
        ("1/1", "power loss", "info", "unknown"),
        ("0/0", "power loss", "failed", ""),
    ]
    assert rows[0].b.says.endswith("1 more unclear") and rows[1].b.says == "not tried"


def test_crash_trials_whose_self_test_failed_are_left_out_aloud(client_in):
    a = trials.experiment({"1/1": {"power-loss": [(0, 0)], "lying-disk": [(0, 0)]}})
    b = trials.experiment({"1/1": {"power-loss": [(0, 0)]}})
    page = compare(client_in, a, b)
    (row,) = page.context["crashes"].rows
    assert (row.a.says, row.b.state) == ("not tried", "info")
    assert "A: The self-test of the checks failed: 1 of 1 lying disk not flagged." in page.text


def offered(page):
    return [pk for pk, _ in page.context["offers"].labelled]


def test_the_choice_names_the_servers(client_in):
    factory.experiment(name="before")
    factory.experiment(name=f"{factory.server()}: after")
    labels = [label.rpartition(", ")[0] for _, label in client_in.get(COMPARE).context["offers"].labelled]
    assert labels == [f"{factory.server()}: after", f"before, {factory.server()}"]


def test_any_two_experiments_can_be_chosen_however_many_are_newer(client_in, monkeypatch):
    monkeypatch.setattr(offers, "PER_PAGE", 2)
    old = [factory.experiment({"1/1": 1000.0}, threads=(1,), name=f"night {n}") for n in range(2)]
    new = [factory.experiment({"1/1": 1000.0}, threads=(1,), name=f"day {n}") for n in range(3)]
    first = client_in.get(COMPARE)
    assert offered(first) == [new[2].pk, new[1].pk] and "Listed: 1 to 2 of 5." in " ".join(first.text.split())
    assert offered(client_in.get(COMPARE, {"page": "3"})) == [old[0].pk]
    assert offered(client_in.get(COMPARE, {"words": "NIGHT 0"})) == [old[0].pk]
    second = client_in.get(COMPARE, {"words": "night 1", "a": old[0].pk})  # A stays chosen while B is searched
    assert offered(second) == [old[1].pk, old[0].pk] and f'value="{old[0].pk}" selected' in " ".join(
        second.text.split()
    )
    assert len(client_in.get(COMPARE, {"a": old[0].pk, "b": old[1].pk}).context["paired"].pairs) == 1


@pytest.mark.parametrize("asked", [{"words": "no such words"}, {"words": "\0"}, {"page": "-7"}, {"page": "x" * 300}])
def test_a_search_that_finds_nothing_can_be_repeated(client_in, asked):
    factory.experiment()
    page = client_in.get(COMPARE, asked)
    assert page.status_code == 200 and 'name="words"' in page.text
    assert ("0 experiments with these words" in page.text) == (not offered(page))


def test_an_experiment_without_a_result_is_not_offered(client_in):
    factory.experiment(measured=0)
    trials.experiment({"1/1": {"power-loss": [None]}}, measured=0).trials.update(state="failed")
    assert not offered(client_in.get(COMPARE))


def test_experiments_of_crash_trials_alone_are_compared(client_in):
    a = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0)
    b = trials.experiment({"1/1": {"power-loss": [(5, 5)]}}, measured=0)
    assert offered(client_in.get(COMPARE)) == [b.pk, a.pk]
    page = compare(client_in, a, b)
    assert page.context["finding"].text == (
        "Crash trials: A and B had different outcomes at 1 of 1 combination of setting and crash that both tried: "
        "1/1, power loss"
    )
    assert "<figure" not in page.text
    assert "has no measured point" in client_in.get(COMPARE, {"from": a.pk}).text


@pytest.mark.parametrize(
    ("kernel", "says"), [("6.1.0", ["ran in the same"]), ("6.12.0", ["unlike environments"]), ("", [])]
)
def test_environments_of_crash_trials_are_compared(client_in, kernel, says):
    a, b = (trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0) for _ in "AB")
    b.trials.update(environment=factory.environment_row(kernel) if kernel else None)
    text = compare(client_in, a, b).text
    assert [one for one in ("ran in the same", "unlike environments") if one in text] == says


def test_a_link_shows_these_two_and_nothing_else(client_in):
    a, b, other = factory.experiment(name="before"), factory.experiment(name="after"), factory.experiment(name="other")
    made = client_in.post(f"/share/comparisons/?a={a.pk}&b={b.pk}&figure=p95", {"days": "7"})
    path = re.search(r"http://testserver(/share/[\w-]{32}/)", made.text)[1]
    shown = Client().get(f"{path}?b={other.pk}")
    assert shown.context["picture"].payload["title"] == "Latency p95 of B against A"
    assert "before" in shown.text and "after" in shown.text and "other" not in shown.text.split("<main")[1]
    assert "/results/" not in shown.text and factory.server().name not in shown.text
    assert len(Client().get(f"{path}charts/compared.csv?a={other.pk}").text.splitlines()) == 7
    Experiment.objects.filter(pk=b.pk).update(deleted_at=timezone.now())
    assert "This comparison is empty" in Client().get(path).text
