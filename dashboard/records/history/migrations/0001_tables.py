import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("history", "0001_initial"),
    ]

    dependencies = [
        ("experiments", "0001_tables"),
        ("servers", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name="Noted",
            fields=[
                (
                    "experiment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="noted",
                        serialize=False,
                        to="experiments.experiment",
                    ),
                ),
                ("ended_at", models.DateTimeField()),
                ("problem", models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name="Track",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("load", "load"), ("crash", "crashes")], max_length=5)),
                ("condition", models.CharField(max_length=16)),
                ("says", models.CharField(max_length=200)),
                ("variant", models.CharField(max_length=80)),
                ("settings", models.CharField(max_length=16)),
                ("means", models.TextField(blank=True)),
                ("counts", models.CharField(default="commits", max_length=20)),
                ("unlooked", models.BooleanField(default=True)),
                ("watched_since", models.DateTimeField(null=True)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tracks", to="servers.server"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("repeats", models.PositiveIntegerField()),
                ("tps", models.FloatField(null=True)),
                ("tps_lo", models.FloatField(null=True)),
                ("tps_hi", models.FloatField(null=True)),
                ("p99_ms", models.FloatField(null=True)),
                ("fsyncs", models.FloatField(null=True)),
                ("fsyncs_from", models.CharField(blank=True, max_length=200)),
                ("lost_engine", models.FloatField(null=True)),
                ("lost_binlog", models.FloatField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, to="experiments.environment"
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="experiments.experiment"
                    ),
                ),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="history.track"
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("figure", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("suspected", "suspected"),
                            ("confirmed", "confirmed"),
                            ("refuted", "not confirmed"),
                            ("past", "in the past"),
                        ],
                        max_length=9,
                    ),
                ),
                ("before", models.FloatField()),
                ("after", models.FloatField()),
                ("p", models.FloatField()),
                ("nights_after", models.PositiveIntegerField()),
                ("found_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(null=True)),
                ("problem", models.TextField(blank=True)),
                (
                    "rerun",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="experiments.experiment",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="history.entry"
                    ),
                ),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="history.entry"
                    ),
                ),
                (
                    "found_with",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="history.entry"
                    ),
                ),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="history.track"
                    ),
                ),
            ],
            options={
                "ordering": ["-first__at", "pk"],
            },
        ),
        migrations.AddIndex(
            model_name="track",
            index=models.Index(condition=models.Q(("unlooked", True)), fields=["unlooked"], name="track_unlooked"),
        ),
        migrations.AddConstraint(
            model_name="track",
            constraint=models.UniqueConstraint(
                fields=("server", "condition", "variant", "settings"), name="one_track_each"
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["track", "at"], name="entry_in_time"),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(fields=("track", "experiment"), name="one_entry_each"),
        ),
        migrations.AddIndex(
            model_name="change",
            index=models.Index(condition=models.Q(("state", "suspected")), fields=["state"], name="change_open"),
        ),
        migrations.AddConstraint(
            model_name="change",
            constraint=models.UniqueConstraint(fields=("track", "figure", "first"), name="one_change_each"),
        ),
    ]
