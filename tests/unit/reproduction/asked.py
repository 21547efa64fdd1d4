"""A recipe with a claim of each outcome, and experiments made from it."""

from dashboard.records.experiments.models import Experiment
from tests.unit.results import factory
from workers.analysis.predicates.bounds import Bounds
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.measured import At
from workers.analysis.predicates.points import PointFigure, SpeedRatio
from workers.bench.recipes import Recipe


def at(variant, threads=8):
    return At(variant, "update by key", threads)


FASTER = SpeedRatio(at("0/0"), at("1/1"))
HELD = Claim("A1", "Unsafe is faster.", "54 times", FASTER, Bounds(above=2), "Never shown.")
NOT_HELD = Claim("A1", "Far faster.", "54 times", FASTER, Bounds(above=27), "Group commit came since.")
OPEN = Claim("G5", "At 1024.", "", PointFigure(at("0/0", 1024)), Bounds(above=1))
BEYOND = Claim("mine", "A statement of my own.", "", FASTER, Bounds(above=3))
EVERY = (HELD, NOT_HELD, OPEN)


def recipe(*claims, key="asked", title="Who asks?"):
    return Recipe(key, title, "Says.", {}, claims=claims or EVERY)


def experiment(of, *, changed=(), **known) -> Experiment:
    one = factory.experiment(**known)
    claims = [claim.as_dict() for claim in of.claims]
    one.claims = {"title": of.title, "changed": [*changed], "variants": [], "workloads": [], "claims": claims}
    one.recipe, one.recipe_size = of.key, "quick"
    one.save()
    return one
