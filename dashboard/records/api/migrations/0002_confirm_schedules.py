from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

OLD, NEW = "confirm_nights", "confirm_schedules"


def _rename(apps: Apps, old: str, new: str) -> None:
    for token in apps.get_model("api", "ApiToken").objects.all():
        if old in token.scopes:
            token.scopes = [new if scope == old else scope for scope in token.scopes]
            token.save(update_fields=["scopes"])


def forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _rename(apps, OLD, NEW)


def backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _rename(apps, NEW, OLD)


class Migration(migrations.Migration):
    dependencies = [
        ("api", "0001_tables"),
    ]

    operations = [
        migrations.RunPython(forwards, backwards),
    ]
