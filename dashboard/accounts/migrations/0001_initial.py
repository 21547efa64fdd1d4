from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models


def everybody_administers(apps: Any, schema_editor: Any) -> None:
    """Until now every account could do everything: nobody loses a right on an upgrade."""
    accounts = apps.get_model("auth", "User").objects.using(schema_editor.connection.alias)
    person = apps.get_model("accounts", "Person")
    for user in accounts.all():
        person.objects.using(schema_editor.connection.alias).create(user=user, role="administrator")
    accounts.update(is_staff=True, is_superuser=True)


def make_cache(apps: Any, schema_editor: Any) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                        choices=[
                            ("viewer", "viewer"),
                            ("operator", "operator"),
                            ("administrator", "administrator"),
                        ],
                        default="viewer",
                        max_length=16,
                    ),
                ),
                ("must_change_password", models.BooleanField(default=False)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["viewer", "operator", "administrator"])),
                        name="role_is_known",
                    )
                ],
            },
        ),
        migrations.RunPython(everybody_administers, migrations.RunPython.noop),
        migrations.RunPython(make_cache, migrations.RunPython.noop),
    ]
