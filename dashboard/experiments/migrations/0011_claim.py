from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("experiments", "0010_queued_by")]

    operations = [
        migrations.AddField("experiment", "claim", models.UUIDField(null=True)),
    ]
