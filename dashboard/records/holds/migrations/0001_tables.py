from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


def carry_over(apps: Any, schema_editor: Any) -> None:
    """Installations of November 2026 kept these rows elsewhere. A pending restore is never lost."""
    connection = schema_editor.connection
    names = connection.introspection.table_names()
    with connection.cursor() as cursor:
        if "servers_debt" in names:
            cursor.execute(
                "INSERT INTO holds_pendingrestore"
                " (kind, name, old, noted_at, tried_at, restored_at, problem, experiment_id, server_id)"
                " SELECT kind, name, old, owed_at, tried_at, paid_at, problem, experiment_id, server_id"
                " FROM servers_debt ORDER BY id"
            )
            cursor.execute("DROP TABLE servers_debt")
        if "fleet_hostlease" in names:
            cursor.execute(
                "INSERT INTO holds_hostlease (host, experiment_id, taken_at)"
                " SELECT host, experiment_id, taken_at FROM fleet_hostlease"
            )
            cursor.execute("DROP TABLE fleet_hostlease")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("experiments", "0001_tables"),
        ("servers", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name="HostLease",
            fields=[
                ("host", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("taken_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "experiment",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="experiments.experiment"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PendingRestore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("variable", "global variable"), ("schema", "schema"), ("start", "the server itself")],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                ("old", models.TextField(blank=True)),
                ("noted_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("tried_at", models.DateTimeField(null=True)),
                ("restored_at", models.DateTimeField(null=True)),
                ("problem", models.TextField(blank=True)),
                (
                    "experiment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="pending_restores",
                        to="experiments.experiment",
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pending_restores",
                        to="servers.server",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("restored_at__isnull", True)),
                        fields=("server", "kind", "name"),
                        name="one_pending_restore_per_thing",
                    )
                ],
            },
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
    ]
