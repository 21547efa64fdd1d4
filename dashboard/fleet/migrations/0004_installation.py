from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("fleet", "0003_stuck")]

    operations = [
        migrations.CreateModel(
            name="Installation",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("identity", models.TextField()),
                ("held_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
