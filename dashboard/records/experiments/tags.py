"""Tags by which people order experiments. Spellings that mean the same are one tag."""

import unicodedata
from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from dashboard.records.experiments.models import Experiment, Tag
from workers.bench.invisible import unseen

LONGEST = 30
MOST = 20  # on one experiment


class NoTag(ValueError):
    """This cannot be a tag. Nothing was changed. The message gives the reason."""


def normalised(written: str | Iterable[str]) -> list[str]:
    """Lower case, single spaces, no duplicates, in alphabetical order. `written`: tags, or a text with commas between
    them. Raises NoTag."""
    parts = written.split(",") if isinstance(written, str) else written
    tags = sorted({tag for part in parts if (tag := normal(part))})
    if wrong := next((tag for tag in tags if len(tag) > LONGEST or "," in tag or unseen(tag)), None):
        raise NoTag(f"{wrong[:LONGEST]!r} is not a tag. Write at most {LONGEST} visible characters without a comma.")
    if len(tags) > MOST:
        raise NoTag(f"You wrote {len(tags)} tags; an experiment has at most {MOST}.")
    return tags


def normal(tag: str) -> str:
    return " ".join(unicodedata.normalize("NFC", tag.lower()).split())


def in_use() -> QuerySet[Tag]:
    """Tags of experiments that are not deleted, by name. An unused tag keeps its row: deleting it could race with a
    person who uses it."""
    marks = Experiment.tags.through.objects.filter(tag=OuterRef("pk"))
    return Tag.objects.filter(Exists(marks.exclude(experiment__in=Experiment.deleted.ids())))
