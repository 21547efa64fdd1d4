"""Commits that clients read and that a failover then lost, beside the verdict: pages name such a failure."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def from_the_evidence(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    evidence = apps.get_model("experiments", "TrialEvidence").objects.filter(data__failover__phantoms__isnull=False)
    trials = apps.get_model("experiments", "Trial").objects
    for trial, phantoms in evidence.values_list("trial_id", "data__failover__phantoms").iterator():
        if phantoms is not None:
            trials.filter(pk=trial).update(phantoms=phantoms)


class Migration(migrations.Migration):
    dependencies = [
        ("experiments", "0007_written_bytes"),
    ]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="phantoms",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.RunPython(from_the_evidence, migrations.RunPython.noop),
    ]
