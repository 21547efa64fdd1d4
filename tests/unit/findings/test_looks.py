"""Variants of a plan look different from each other, however many there are."""

from itertools import product

import pytest

from dashboard.findings.looks import COLOURS, MOST_WAYS, STYLES, USUAL, Look, by_place, looks, repeated
from dashboard.findings.nights import shown
from dashboard.history import entries
from tests.unit.results import factory
from tests.walks import report
from workers.bench import recipes

GRID = [f"server {server}, {binlog}" for server in range(13) for binlog in ("off", "on")]


@pytest.mark.parametrize("number", [1, 8, 9, 30, COLOURS * STYLES])
def test_no_two_variants_look_alike(number):
    assert len(set(looks([f"variant {nth}" for nth in range(number)]))) == number


def test_after_the_last_look_the_first_comes_again():
    assert by_place(COLOURS * STYLES) == by_place(0)


def test_few_variants_have_a_colour_each():
    assert [look.colour for look in looks(GRID[:8])] == list(range(8))


def test_a_grid_has_a_colour_for_each_server_and_a_stroke_for_each_setting():
    found = dict(zip(GRID, looks(GRID), strict=True))
    assert len(set(found.values())) == len(GRID)
    for server in range(13):
        off, on = found[f"server {server}, off"], found[f"server {server}, on"]
        assert off.colour == on.colour == server % COLOURS
        assert on.dash == off.dash + 1


@pytest.mark.parametrize("ways", range(2, MOST_WAYS + 1))
def test_no_grid_repeats_a_look(ways):
    for heads in range(5, COLOURS * STYLES // ways + 1):
        names = [f"{head}, {way}" for head, way in product(range(heads), range(ways))]
        assert len(set(looks(names))) == len(names)


def test_names_with_a_comma_that_are_no_grid_go_by_their_place():
    names = [*GRID[:10], "alone"]
    assert looks(names) == [by_place(nth) for nth in range(len(names))]


@pytest.mark.parametrize("others", [0, 3, 8, 20])
def test_the_usual_settings_have_the_same_colours_in_every_plan(others):
    """Wherever they stand, and no other variant looks like them."""
    names = [f"variant {nth}" for nth in range(others)]
    for mixed in ([*USUAL, *names], [*names, *USUAL], [*names[:2], "1/1", *names[2:], "0/0"]):
        found = dict(zip(mixed, looks(mixed), strict=True))
        assert all(found[name] == Look(USUAL[name], 0) for name in set(mixed) & set(USUAL))
        assert len(set(found.values())) == len(mixed)


def test_the_usual_settings_lead_a_grid_in_their_colours():
    names = [f"{head}, {way}" for head in ("2/0", "safe", "fast", "1/1", "0/0") for way in ("off", "on")]
    found = dict(zip(names, looks(names), strict=True))
    assert (found["1/1, off"], found["1/1, on"], found["2/0, on"]) == (Look(0, 0), Look(0, 1), Look(1, 1))
    assert len(set(found.values())) == len(names)


def test_a_name_that_comes_again_has_its_colour_in_another_style():
    names = ["0/0", "0/0", "safe", "1/1", "safe"]
    assert list(repeated(names)) == [Look(2, 0), Look(2, 1), Look(1, 0), Look(0, 0), Look(1, 1)]
    many = [f"variant {nth}" for nth in range(12)]  # the last four have the second style already
    assert len(set(repeated([*many, *many]))) == 24


def test_looks_that_others_have_are_left_to_them():
    assert looks(["1/1", "safe"], [Look(0, 0), Look(1, 0)]) == [Look(2, 0), Look(3, 0)]


def test_an_empty_plan_has_no_looks():
    assert looks([]) == []


def test_every_variant_of_a_recipe_has_a_look_of_its_own():
    variants = {key: recipe.plan([]).variants for key, recipe in recipes.shelf().recipes.items()}
    report(key for key, found in variants.items() if len(set(looks([one.name for one in found]))) != len(found))


@pytest.mark.django_db
def test_a_variant_keeps_its_colour_on_every_page(client_in):
    """Of two servers: result, measurement, history and live page."""
    servers = [factory.server("one"), factory.server("two")]
    made = factory.experiment({"0/0": 6000.0, "1/1": 1000.0}, servers=servers)
    entries.note(made)
    result = client_in.get(f"/results/{made.pk}/charts/throughput.json").json()["series"]
    colours = {one["name"]: one["colour"] for one in result if not one.get("ceiling")}
    assert colours == {"0/0, one": 2, "0/0, two": 2, "1/1, one": 0, "1/1, two": 0}
    for cell in made.cells.filter(threads=8, repeat=1):
        chart = client_in.get(f"/results/cells/{cell.pk}/charts/seconds.json").json()
        assert chart["series"][0]["colour"] == colours[f"{cell.variant}, {cell.server.name}"]
        made.cells.update(state="done")
        made.cells.filter(pk=cell.pk).update(state="running")
        live = client_in.get(f"/experiments/{made.pk}/progress/").json()
        assert live["colour"] == colours[f"{cell.variant}, {cell.server.name}"]
    for server in servers:
        lines = shown(server, {}).lines["load"]
        assert {f"{one.name}, {server.name}": one.colour for one in lines}.items() <= colours.items() and len(
            lines
        ) == 2
