from django.db import migrations, models


class Migration(migrations.Migration):
    """Where a worker is, whether it hears doorbells, and of which version it is."""

    dependencies = [("fleet", "0001_initial")]

    operations = [
        migrations.AddField(model_name="worker", name="site", field=models.CharField(default="local", max_length=40)),
        migrations.AddField(model_name="worker", name="listens", field=models.BooleanField(default=True)),
        migrations.AddField(
            model_name="worker", name="version", field=models.CharField(blank=True, default="", max_length=40)
        ),
    ]
