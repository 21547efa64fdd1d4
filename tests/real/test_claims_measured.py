"""The claims of a recipe, judged on what a real server did."""

import pytest

from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Run
from dashboard.records.servers.models import Server
from workers.bench import recipes
from workers.conducting.conduct import conduct

SHORT = {"threads": "1", "repeats": "1", "warmup_s": "0", "measure_s": "3", "table_rows": "500", "seed": "1"}


@pytest.fixture
def sandbox_server(transactional_db, settings, sandbox_root):
    settings.SANDBOX_ROOT = str(sandbox_root)
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


def test_a_commit_with_the_binlog_on_is_shown_to_take_two_fsyncs(sandbox_server, worker):
    """Counts do not depend on how fast the machine is; what was not measured is left open."""
    recipe = recipes.load("group-commit")
    plan = actions.plan_recipe(recipe, [sandbox_server], SHORT)
    experiment = conduct(actions.create(plan, None, recipe=recipe.key).pk, worker)
    assert (experiment.state, experiment.error) == ("done", "")
    scaling, fsyncs, more, shared = outcomes_of(experiment)
    silent = [figure for run in Run.objects.all() for figure in run.figures if figure["value"] is None]
    assert fsyncs.measured.value is not None, (fsyncs.why, silent)
    assert fsyncs.measured.value == pytest.approx(2, abs=0.5)
    assert fsyncs.outcome in ("held", "not decidable")
    assert [one.outcome for one in (scaling, more, shared)] == ["not decidable"] * 3
    assert "64 threads: not part of this plan" in more.why
    assert experiment.claims["changed"][0].startswith("Threads ")
