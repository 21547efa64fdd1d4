"""Stored answers of connection tests name the fix of a check as the other tables do."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def rename(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    preflights = apps.get_model("servers", "Preflight").objects
    for row in preflights.exclude(checks=[]).only("checks").iterator():
        row.checks = [{"fix" if key == "mend" else key: value for key, value in check.items()} for check in row.checks]
        row.save(update_fields=["checks"])


class Migration(migrations.Migration):
    dependencies = [("servers", "0004_service")]
    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
