from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def say_who(apps: Any, _: Any) -> None:
    """Until now only who started it was kept."""
    of_here = apps.get_model("experiments", "Experiment").objects.filter(imported_at=None)
    of_here.update(queued_by=models.F("created_by"))


class Migration(migrations.Migration):
    """By whose right an experiment crashes servers."""

    dependencies = [
        ("experiments", "0009_parts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="experiment",
            name="queued_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(say_who, migrations.RunPython.noop),
    ]
