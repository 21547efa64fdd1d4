from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def say_who(apps: Any, _: Any) -> None:
    """Until now only the audit log knew. Commands of somebody who is not found there are run only if they are listed."""
    events = apps.get_model("audit", "Event").objects.filter(did="marked expendable").exclude(who=None)
    for server in apps.get_model("servers", "Server").objects.exclude(crash_command=[]):
        last = events.filter(what=server.name[:200]).order_by("-at", "-pk").first()
        if (
            last
            and last.detail.get("crash") == server.crash_command
            and last.detail.get("start") == server.start_command
        ):
            server.commands_by_id = last.who_id
            server.save(update_fields=["commands_by"])


class Migration(migrations.Migration):
    """Who set the crash and start commands, and where an owner says that the binlog lies on the worker's host."""

    dependencies = [
        ("audit", "0003_append_only"),
        ("servers", "0007_earlier_hosts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="server",
            name="binlog_index",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="server",
            name="commands_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(say_who, migrations.RunPython.noop),
    ]
