"""Experiments by the site of their servers."""

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from dashboard.records.experiments.models import Cell, Experiment, Trial


def at_site(site: str, rows: QuerySet[Experiment]) -> QuerySet[Experiment]:
    """Those of `rows` whose servers are at the site, and those that have neither cells nor trials. One query, however
    many rows: workers ask this again and again."""
    first = [
        Subquery(model.objects.filter(experiment=OuterRef("pk")).order_by("position").values("server__site")[:1])
        for model in (Cell, Trial)
    ]
    return rows.annotate(at_site=Coalesce(*first, Value(site))).filter(at_site=site)
