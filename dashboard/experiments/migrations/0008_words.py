import unicodedata
from collections.abc import Iterator
from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def say_words(apps: Any, _: Any) -> None:
    """Of the experiments that there are: as dashboard.experiments.words does for those to come."""
    experiments = apps.get_model("experiments", "Experiment").objects
    text = apps.get_model("experiments", "Words").objects
    for pk in list(experiments.values_list("pk", flat=True)):
        name, recipe, finding, plan = experiments.values_list("name", "recipe", "finding", "plan").get(pk=pk)
        known = "\n".join(dict.fromkeys(filter(None, (name, recipe, finding, *words(plan)))))
        text.create(experiment_id=pk, text=unicodedata.normalize("NFC", known.casefold()))


def words(plan: dict[str, Any]) -> Iterator[str | None]:
    yield from (target["name"] for target in plan.get("targets", ()))
    for variant in plan.get("variants", ()):
        yield from (variant["name"], variant.get("build"), variant.get("storage"))
    for workload in plan.get("workloads", ()):
        yield from (workload["label"], workload["key"])


class Migration(migrations.Migration):
    dependencies = [
        ("experiments", "0007_imported"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="experiment",
            name="words",
        ),
        migrations.CreateModel(
            name="Words",
            fields=[
                (
                    "experiment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="words",
                        serialize=False,
                        to="experiments.experiment",
                    ),
                ),
                ("text", models.TextField()),
            ],
        ),
        migrations.RunPython(say_words, migrations.RunPython.noop),
    ]
