import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("schedules", "0001_initial"),
    ]

    dependencies = [
        ("experiments", "0001_tables"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Schedule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("plan", models.JSONField()),
                ("recipe", models.CharField(blank=True, max_length=80)),
                ("recipe_size", models.CharField(blank=True, max_length=20)),
                ("cron", models.CharField(max_length=120)),
                ("zone", models.CharField(max_length=60)),
                ("ends_by", models.TimeField(null=True)),
                ("confirmed_at", models.DateTimeField(null=True)),
                ("confirmed_servers", models.JSONField(default=list)),
                ("paused_at", models.DateTimeField(null=True)),
                ("looked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "confirmed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "runs_as",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="schedules",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Night",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("due_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("started", "started"),
                            ("skipped", "skipped"),
                            ("refused", "refused"),
                            ("missed", "missed"),
                        ],
                        max_length=8,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("must_end_at", models.DateTimeField(null=True)),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "experiment",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="night",
                        to="experiments.experiment",
                    ),
                ),
                (
                    "schedule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="nights", to="schedules.schedule"
                    ),
                ),
            ],
            options={
                "ordering": ["-due_at"],
                "indexes": [
                    models.Index(condition=models.Q(("closed_at", None)), fields=["closed_at"], name="night_open")
                ],
                "constraints": [models.UniqueConstraint(fields=("schedule", "due_at"), name="one_night_each_time")],
            },
        ),
    ]
