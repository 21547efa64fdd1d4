"""Failovers are tracks of their own kind: they lose commits on the new primary, and refuse writes for a time."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FAULTS = (
    "asynchronous link", "majority lost", "partition", "primary host loss", "primary kill", "primary power loss",
    "replica kill", "replica power loss", "switchover", "total kill", "total power loss",
)  # fmt: skip


def move(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The condition of a track is a digest; its words begin with the name of the fault."""
    tracks, changes = apps.get_model("history", "Track"), apps.get_model("history", "Change")
    for fault in FAULTS:
        tracks.objects.filter(kind="crash", says__startswith=f"{fault}, ").update(kind="failover")
    changes.objects.filter(track__kind="failover", figure="lost-engine").update(figure="lost-failover")


class Migration(migrations.Migration):
    dependencies = [
        ("history", "0001_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="outage_ms",
            field=models.FloatField(null=True),
        ),
        migrations.AlterField(
            model_name="track",
            name="kind",
            field=models.CharField(
                choices=[("load", "load"), ("crash", "crashes"), ("failover", "failovers")], max_length=8
            ),
        ),
        migrations.RunPython(move, migrations.RunPython.noop),
    ]
