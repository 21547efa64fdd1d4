from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Whoever registered a server owns it."""

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("servers", "0002_server_crash_command_server_expendable_and_more"),
    ]

    operations = [
        migrations.RenameField("server", "created_by", "owner"),
        migrations.AlterField(
            "server",
            "owner",
            models.ForeignKey(
                null=True,
                on_delete=models.SET_NULL,
                related_name="owned_servers",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
