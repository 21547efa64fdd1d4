import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("fleet", "0001_initial"),
        ("fleet", "0002_site"),
        ("fleet", "0003_stuck"),
        ("fleet", "0004_installation"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Installation",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("identity", models.TextField()),
                ("held_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", models.CharField(max_length=120)),
                ("pid", models.PositiveIntegerField()),
                ("site", models.CharField(default="local", max_length=40)),
                ("listens", models.BooleanField(default=True)),
                ("version", models.CharField(blank=True, default="", max_length=40)),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("beat_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(null=True)),
                ("abilities", models.JSONField(default=dict)),
                ("stuck", models.JSONField(default=list)),
            ],
        ),
    ]
