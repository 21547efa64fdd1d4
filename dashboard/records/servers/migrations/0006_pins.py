"""Servers of version 0.2.0 may show any key until somebody confirms it: their schedules go on for one version."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def accept_any_key(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    servers = apps.get_model("servers", "Server")._base_manager
    servers.filter(kind="attached").exclude(host="").exclude(tls="verify").update(any_key=True)


class Migration(migrations.Migration):
    dependencies = [("servers", "0005_fix")]
    operations = [
        migrations.AddField(
            "server", "certificate_pin", models.CharField(blank=True, db_default="", default="", max_length=95)
        ),
        migrations.AddField("server", "key_pin", models.TextField(blank=True, db_default="", default="")),
        migrations.AddField("server", "any_key", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("preflight", "keys", models.JSONField(null=True)),
        migrations.RunPython(accept_any_key, migrations.RunPython.noop),
    ]
