"""The number of control trials is one rule: form, API, recipe and demo make the same plan."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.pages.api.plans import PlanIn, StartIn, asked
from dashboard.pages.experiments.forms import PlanForm
from dashboard.records.experiments import actions, shelf
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from tests.walks import report
from workers.bench import recipes
from workers.bench.recipes import SIZES

pytestmark = pytest.mark.django_db
NO_FUSE = "No FUSE here."
RECIPES = [(key, size) for key in recipes.shelf().recipes for size in SIZES]


@pytest.fixture
def server():
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


@pytest.fixture
def unable():
    """It stays alive longer than a slow machine needs for all recipes."""
    unable = {"crash_missing": {"lying-disk": NO_FUSE}}
    Worker.objects.create(host="h", pid=1, beat_at=timezone.now() + timedelta(hours=1), abilities=unable)


def by_form(server, trials, **more):
    filled = {"name": "n", "servers": [server.pk], "variants": ["1/1"], "workloads": ["update-by-key"], "threads": "1"}
    filled |= {"repeats": 1, "warmup_s": 0, "measure_s": 1, "table_rows": 100, "clients": 1, "load_s": 1}
    form = PlanForm({**filled, "binlog": "keep", "trials": trials, "kinds": ["process-kill"], **more})
    assert form.is_valid(), form.errors
    return form.plan().crash.control_trials


def as_shown(server, key, size):
    """The form of a recipe, sent back as it is shown."""
    shown = {"binlog": "keep", **PlanForm(recipe=key, size=size).initial, "servers": [server.pk]}
    form = PlanForm(shown, recipe=key, size=size)
    assert form.is_valid(), form.errors
    return form.plan().crash.control_trials


def by_api(server, trials, **more):
    variant = {"name": "1/1", "settings": {}}
    workload = {"label": "u", "key": "update-by-key", "params": {}}
    crash = {"kinds": ["process-kill"], "trials": trials, **more}
    plan = PlanIn(name="n", variants=[variant], workloads=[workload], threads=[1], crash=crash)
    return asked(StartIn(servers=[server.pk], plan=plan)).plan.crash.control_trials


@pytest.mark.parametrize(("trials", "controls"), [(0, 0), (1, 1), (3, 3), (50, 3)])
def test_form_and_api_choose_the_same_number(server, trials, controls):
    assert by_form(server, trials) == by_api(server, trials) == controls


def test_form_and_api_keep_a_number_that_is_named(server, unable):
    assert by_form(server, 2, control_trials=7) == by_api(server, 2, control_trials=7) == 7


def test_form_and_api_leave_control_trials_out_where_no_worker_can_run_them(server, unable):
    assert by_form(server, 4) == by_api(server, 4) == 0


def test_the_workers_of_the_servers_site_count(server, unable):
    """Create refuses what no worker of the site can do, so a plan does not have it by itself."""
    Worker.objects.create(host="able", pid=2, site="far")
    Server.objects.create(name="far", kind="sandbox", build="system-mariadb", site="far")
    key, size = "who-agrees-after-a-crash", "quick"
    assert by_form(server, 4) == by_api(server, 4) == 0
    assert as_shown(server, key, size) == 0
    plan = actions.plan_recipe(shelf.load(key), [server])
    assert plan.crash.control_trials == 0
    admin = User.objects.create_superuser("admin")
    assert actions.create(plan, admin).pk


def test_the_form_of_each_recipe_has_the_number_of_the_api(server):
    offenders = []
    for key, size in RECIPES:
        by_form = as_shown(server, key, size)
        by_api = asked(StartIn(servers=[server.pk], recipe=key, size=size)).plan.crash.control_trials
        if by_form != by_api:
            offenders.append(f"{key}, {size}: {by_form} by form, {by_api} by API")
    report(offenders)


def test_the_form_of_no_recipe_has_controls_where_no_worker_can_run_them(server, unable):
    report(f"{key}, {size}" for key, size in RECIPES if as_shown(server, key, size))


def test_a_recipe_names_its_own_number():
    assert shelf.load("who-agrees-after-a-crash").control_trials("full") == 5


def test_a_recipe_is_planned_without_controls_where_no_worker_can_run_them(server, unable):
    recipe = shelf.load("who-agrees-after-a-crash")
    assert actions.plan_recipe(recipe, [server]).crash.control_trials == 0
    asked_for = actions.plan_recipe(recipe, [server], {"control_trials": "2"})
    assert asked_for.crash.control_trials == 2, "a number that somebody asks for is refused, not changed"
