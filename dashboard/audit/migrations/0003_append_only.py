"""Alone in its migration: a later one that alters the table must remove the triggers first, and install them again
(SQLite makes the table anew and forgets them)."""

from typing import Any

from django.db import migrations

from dashboard.audit import append_only


def install(apps: Any, schema_editor: Any) -> None:
    append_only.install(schema_editor.connection)


def remove(apps: Any, schema_editor: Any) -> None:
    append_only.remove(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_event_order")]

    operations = [migrations.RunPython(install, remove)]
