from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models


def make_cache(apps: Any, schema_editor: Any) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_attempts"),
        ("accounts", "0003_one_time_until"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("kind", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=200)),
                ("address", models.CharField(max_length=64)),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "address", "at"], name="attempts_of_an_address")],
            },
        ),
        migrations.CreateModel(
            name="Person",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="person",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("operator", "operator"), ("administrator", "administrator")],
                        default="viewer",
                        max_length=16,
                    ),
                ),
                ("must_change_password", models.BooleanField(default=False)),
                ("one_time_until", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["viewer", "operator", "administrator"])), name="role_is_known"
                    )
                ],
            },
        ),
        migrations.RunPython(make_cache, migrations.RunPython.noop),
    ]
