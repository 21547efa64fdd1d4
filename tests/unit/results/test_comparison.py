"""Runs of any experiments side by side."""

import re

import pytest
from django.http import QueryDict
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from dashboard.findings.compare.choice import AskedComparison, choice, run_ids
from dashboard.findings.compare.figures import FIGURES
from dashboard.records.experiments.care import question_of
from dashboard.records.experiments.models import Experiment, Run
from tests.unit.results import factory
from tests.unit.results.test_result_pages import obeys_the_policy


def ids(experiment, variant):
    runs = Run.objects.filter(cell__experiment=experiment, cell__variant=variant, cell__threads=8)
    return ",".join(str(run.pk) for run in runs)


def every(experiment):
    """Runs of all points, variant by variant."""
    runs = Run.objects.filter(cell__experiment=experiment).order_by("pk").values_list("pk", "cell__variant")
    variants = [variant["name"] for variant in experiment.plan["variants"]]
    return ",".join(str(pk) for pk, _ in sorted(runs, key=lambda run: variants.index(run[1])))


def compare(client, *runs, **query):
    return client.get(reverse("results:compare"), {"runs": list(runs), **query})


@pytest.mark.django_db
def test_points_of_two_experiments_stand_side_by_side(client_in):
    old, new = factory.experiment(name="before"), factory.experiment({"1/1": 2000.0}, name="after")
    response = compare(client_in, ids(old, "1/1"), ids(new, "1/1"))
    first, second = response.context["columns"]
    assert (first.experiment.name, second.experiment.name) == ("before", "after")
    assert first.repeats == second.repeats == 3
    assert second.ratio.value == pytest.approx(2, rel=0.1)
    assert second.ratio.decision == "differs"
    assert response.context["unlike"] == []
    assert "All points ran in the same environment" in response.content.decode()
    assert obeys_the_policy(response)


@pytest.mark.django_db
def test_updates_are_not_held_against_commits(client_in):
    old, new, late = factory.experiment(), factory.experiment({"1/1": 2000.0}), factory.experiment({"0/0": 9000.0})
    late.plan["workloads"][0]["key"] = "durable-once-a-second"
    late.save()
    both = compare(client_in, ids(old, "1/1"), ids(late, "0/0")).context
    assert both["columns"][1].ratio is None
    assert both["finding"].sentence == "Throughput of updates is not compared with throughput of commits."
    three = compare(client_in, ids(old, "1/1"), ids(late, "0/0"), ids(new, "1/1")).context
    assert [column.ratio is None for column in three["columns"]] == [True, True, False]
    assert "1/1 at 8 threads (3) has" in three["finding"].text
    assert three["finding"].more == ("Throughput of updates is not compared with throughput of commits.",)


@pytest.mark.django_db
def test_unlike_environments_are_marked_with_their_differences(client_in):
    old = factory.experiment(name="before")
    new = factory.experiment(environment={"kernel": "6.12.0", "innodb_io_capacity": "2000", "datadir": "/other"})
    response = compare(client_in, ids(old, "1/1"), ids(new, "1/1"))
    assert [name for name, _ in response.context["unlike"]] == ["kernel", "innodb_io_capacity"]
    assert "unlike environments" in response.content.decode()


@pytest.mark.django_db
def test_points_are_offered_and_the_address_keeps_the_choice(client_in):
    experiment = factory.experiment()
    chosen = ids(experiment, "1/1")
    response = compare(client_in, chosen, **{"from": experiment.pk})
    html = response.content.decode()
    assert f'<input type="hidden" name="runs" value="{chosen}">' in html
    assert [point["there"] for point in response.context["points"]].count(True) == 1
    assert "Add 0/0, 8 threads" in html


@pytest.mark.django_db
@pytest.mark.parametrize("runs", ["", "999999", "x';--", "1" * 40])
def test_any_address_of_a_comparison_is_answered(client_in, runs):
    response = compare(client_in, runs, **{"from": "12345678901234567890123"})
    assert response.status_code == 200
    assert "Nothing is compared yet" in response.content.decode()


@given(st.lists(st.text(), max_size=5))
def test_only_numbers_are_read_from_the_address(texts):
    query = QueryDict(mutable=True)
    query.setlist("runs", texts)
    found = run_ids(query)
    assert len(found) == len(set(found))
    assert all(0 <= one < 10**18 for one in found)


def test_the_address_says_all_and_what_is_usual_is_left_out():
    assert choice(QueryDict("runs=1&by=points")).query() == "runs=1"
    asked = "runs=3,1,2&figure=p99&by=threads&scale=log&hide=0,2&from=7"
    chosen = choice(QueryDict(asked))
    assert chosen == AskedComparison((3, 1, 2), "p99", "threads", "log", (0, 2), 7)
    assert chosen.query() == asked
    assert choice(QueryDict(chosen.query(runs=(1,), hidden=()))) == AskedComparison(
        (1,), "p99", "threads", "log", (), 7
    )
    bad = choice(QueryDict("figure=x&by=y&scale=z&hide=-1,99999999&from=1e3"))
    assert bad == AskedComparison(hidden=(1,)), "only the numbers in it"
    assert choice(QueryDict("from=0")) == AskedComparison(), "no experiment has this id"


@given(st.dictionaries(st.sampled_from(["runs", "figure", "by", "scale", "hide", "from"]), st.text(max_size=20)))
def test_an_address_of_its_own_making_is_read_as_it_was(said):
    query = QueryDict(mutable=True)
    query.update(said)
    chosen = choice(query)
    assert choice(QueryDict(chosen.query())) == chosen


def test_a_readers_view_changes_the_look_and_never_the_points():
    shared = choice(QueryDict("runs=1,2&figure=p95&scale=log&hide=1"))
    assert shared.seen_with(QueryDict("")) == shared
    seen = shared.seen_with(QueryDict("runs=99&figure=p50&scale=linear&hide="))
    assert seen == AskedComparison((1, 2), "p50", "points", "linear", ())
    assert shared.seen_with(QueryDict("by=threads")).hidden == (1,), "the same points as lines"


@given(st.sets(st.integers(0, 15)), st.integers(0, 15))
def test_hidden_points_stay_hidden_when_another_point_is_removed(hidden, taken):
    points = [place in hidden for place in range(16)]
    del points[taken]
    left = AskedComparison(hidden=tuple(sorted(hidden))).hidden_without(taken)
    assert left == tuple(place for place, is_hidden in enumerate(points) if is_hidden)


@pytest.mark.django_db
def test_a_line_is_hidden_with_all_its_points(client_in):
    one = factory.experiment({"1/1": 1000.0, "0/0": 6000.0})  # at 1 and 8 threads each

    def drawn(**look):
        payload = compare(client_in, every(one), **look).context["picture"].payload
        return payload["points_of"], payload.get("hidden", [])

    assert drawn(hide="1,2") == ([[0], [1], [2], [3]], [1, 2])
    lines, hidden = drawn(hide="2,3", by="threads")
    assert (lines, hidden) == ([[0, 1], [2, 3]], [1])
    assert drawn(hide="1,2", by="threads") == (lines, []), "each line still has a point to show"
    page = compare(client_in, every(one), hide="1,2").context
    assert ("hide", "1,2") in page["said"] and "hide=1,2" in page["views"][1]["query"]
    assert ["hide=0,1" in query for _, query in page["takes_out"]] == [True, False, False, False]


@pytest.mark.django_db
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("by", ["points", "threads"])
def test_every_figure_is_drawn_and_tabled(client_in, figure, by):
    one = factory.experiment({"1/1": 1000.0, "0/0": 6000.0})
    chart = compare(client_in, every(one), figure=figure, by=by).context["picture"].chart
    assert chart.empty == "" and len(chart.table.rows) == 4
    if by == "threads":
        assert [(line.name, [dot.x for dot in line.dots]) for line in chart.series] == [
            ("1/1", [1, 8]),
            ("0/0", [1, 8]),
        ]
    else:
        assert [bar.name for bar in chart.series] == list(chart.x.categories)


@pytest.mark.django_db
def test_a_figure_that_no_source_knows_says_so(client_in):
    one = factory.experiment(figures=False)
    chart = compare(client_in, every(one), figure="group").context["picture"].chart
    assert (chart.series, chart.empty) == ((), "No source has this figure here.")
    mixed = compare(client_in, every(one), every(factory.experiment()), figure="group").context["picture"].chart
    known = [bar.dots[0].y is not None for bar in mixed.series]
    assert any(known) and not all(known), "what is not known keeps its place, hatched"


@pytest.mark.django_db
def test_lines_of_like_names_are_told_apart(client_in):
    one, same = factory.experiment({"1/1": 1000.0}), factory.experiment({"1/1": 2000.0})
    other = factory.experiment({"1/1": 3000.0}, name="other")
    series = compare(client_in, every(one), every(same), every(other), by="threads").context["picture"].chart.series
    assert [line.name for line in series] == [
        "1/1, What safety costs (1)",
        "1/1, What safety costs (2)",
        "1/1, other",
    ]


@pytest.mark.django_db
def test_scale_and_hidden_series_are_given_to_the_chart(client_in):
    one = factory.experiment()
    payload = compare(client_in, every(one), scale="log", hide="1,2").context["picture"].payload
    assert (payload["y"]["scale"], payload["hidden"]) == ("log", [1, 2])
    html = compare(client_in, every(one), scale="log", hide="1").content.decode()
    assert 'name="hide" value="1"' in html and 'name="scale" value="log"' in html


@pytest.mark.django_db
def test_a_comparison_opens_with_its_findings(client_in):
    one = factory.experiment({"1/1": 1000.0, "0/0": 6000.0})
    html = compare(client_in, ids(one, "1/1"), ids(one, "0/0")).content.decode()
    assert re.search(r"0/0 at 8 threads \(2\) has [56]\.\d times the throughput of 1/1 at 8 threads \(1\)", html)
    same = compare(client_in, ids(one, "1/1"), ids(factory.experiment({"1/1": 1000.0}), "1/1")).content.decode()
    assert "No difference in throughput between 1/1 at 8 threads (2) and 1/1 at 8 threads (1) was found" in same
    assert re.search(r"\((0\.\d+|1\.00) to 1\.\d+\)", same)
    assert "times the throughput" not in compare(client_in, ids(one, "1/1")).content.decode()


@pytest.mark.django_db
def test_the_second_point_is_the_headline_whichever_differs_most(client_in):
    one = factory.experiment()
    page = compare(client_in, ids(one, "1/1"), ids(one, "2/0"), ids(one, "0/0"))
    found = page.context["finding"]
    assert found.text.startswith("2/0 at 8 threads (2) has 3.")
    assert len(found.more) == 1 and found.more[0].startswith("0/0 at 8 threads (3) has ")


@pytest.mark.django_db
@pytest.mark.parametrize(("repeats", "says"), [(1, "measured once"), (2, "too few to judge")])
def test_few_repeats_are_not_compared(client_in, repeats, says):
    one = factory.experiment(repeats=repeats)
    page = compare(client_in, ids(one, "1/1"), ids(one, "0/0"))
    assert says in page.context["finding"].sentence
    assert page.context["columns"][1].ratio.lo is None


@pytest.mark.django_db
def test_the_picture_comes_as_files(client_in):
    one = factory.experiment()
    address = reverse("results:compare_chart", args=["compared", "csv"])
    rows = client_in.get(address, {"runs": every(one), "figure": "p99"}).content.decode().splitlines()
    assert rows[0].startswith("experiment,server,setting,workload,threads,latency p99") and len(rows) == 7
    for wrong in (["other", "csv"], ["compared", "xml"]):
        assert client_in.get(reverse("results:compare_chart", args=wrong)).status_code == 404


@pytest.mark.django_db
def test_the_baseline_is_offered_first(client_in):
    old, new = factory.experiment(name="What safety costs"), factory.experiment(name="What safety costs")
    assert compare(client_in, every(new)).context["offers"].labelled[0][0] == new.pk
    Experiment.objects.filter(pk=old.pk).update(baseline_of=question_of(old))
    assert [pk for pk, _ in compare(client_in, every(new)).context["offers"].labelled] == [old.pk, new.pk]
