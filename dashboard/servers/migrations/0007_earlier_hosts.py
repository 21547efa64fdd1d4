from django.db import migrations, models


class Migration(migrations.Migration):
    """What guests must not read, also after a server has moved."""

    dependencies = [("servers", "0006_imported")]

    operations = [
        migrations.AddField(
            model_name="server", name="earlier_hosts", field=models.JSONField(blank=True, default=list)
        ),
    ]
