from django.db import migrations, models

import dashboard.fleet.site_names


class Migration(migrations.Migration):
    """Which workers reach a server."""

    dependencies = [("servers", "0003_owner")]

    operations = [
        migrations.AddField(
            model_name="server",
            name="site",
            field=models.CharField(
                blank=True, default="local", max_length=40, validators=[dashboard.fleet.site_names.check]
            ),
        ),
    ]
