"""A later migration that alters the table must remove the triggers first and install them again: SQLite makes the
table anew and loses them."""

from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from dashboard.records.audit import append_only


def install(apps: Any, schema_editor: Any) -> None:
    append_only.install(schema_editor.connection)


def remove(apps: Any, schema_editor: Any) -> None:
    append_only.remove(schema_editor.connection)


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("audit", "0001_initial"),
        ("audit", "0002_event_order"),
        ("audit", "0003_append_only"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("name", models.CharField(blank=True, max_length=150)),
                ("did", models.CharField(db_index=True, max_length=40)),
                ("what", models.CharField(max_length=200)),
                ("detail", models.JSONField(default=dict)),
                (
                    "who",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-pk"],
            },
        ),
        migrations.RunPython(install, remove),
    ]
