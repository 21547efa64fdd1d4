from django.db import migrations, models


class Migration(migrations.Migration):
    """A connection test that holds every worker that takes it is given up."""

    dependencies = [("servers", "0008_commands_by_and_binlog_index")]

    operations = [
        migrations.AddField(model_name="preflight", name="claimed", field=models.PositiveSmallIntegerField(default=0)),
    ]
