"""The baseline: the experiment that later ones of the same question are compared with. A question is a recipe, or a
plan of one's own by its name, on a set of servers: so that the baseline of one server is never offered for another, nor
that of a crash recipe for a load test. Each question has one; marking another takes the mark from the first. Size,
repeats and threads do not count: a longer measurement of the same thing is still of the same thing, and the compare
page shows what differed."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dashboard.experiments.models import Experiment
from workers.bench.recipes import ALIASES


def question_of(recipe: str, plan: Mapping[str, Any]) -> str:
    """A digest. A plan keeps the name that it was started with, whatever its experiment is called later."""
    asked = ["recipe", ALIASES.get(recipe, recipe)] if recipe else ["plan", plan["name"]]
    servers = sorted({target["server_id"] for target in plan["targets"]})
    return hashlib.sha256(json.dumps([asked, servers]).encode()).hexdigest()


def baseline_for(experiment: Experiment) -> Experiment | None:
    """What this one is compared with; itself where it is the baseline."""
    return Experiment.objects.filter(baseline_of=question_of(experiment.recipe, experiment.plan)).first()
