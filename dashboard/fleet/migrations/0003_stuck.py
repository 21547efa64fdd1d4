from django.db import migrations, models


class Migration(migrations.Migration):
    """A worker tells which of its threads hang."""

    dependencies = [("fleet", "0002_site")]

    operations = [migrations.AddField(model_name="worker", name="stuck", field=models.JSONField(default=list))]
