import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("experiments", "0001_initial"),
        ("experiments", "0002_initial"),
        ("experiments", "0003_trial_trialevidence_trial_one_trial_position_each"),
        ("experiments", "0004_experiment_production_confirmed"),
        ("experiments", "0005_recipe_claims"),
        ("experiments", "0006_care"),
        ("experiments", "0007_imported"),
        ("experiments", "0008_words"),
        ("experiments", "0009_parts"),
        ("experiments", "0010_queued_by"),
        ("experiments", "0011_claim"),
        ("experiments", "0012_by_command_line"),
    ]

    dependencies = [
        ("fleet", "0001_tables"),
        ("servers", "0001_tables"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Environment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("data", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("started_at", models.DateTimeField()),
                ("elapsed_s", models.FloatField()),
                ("transactions", models.PositiveBigIntegerField()),
                ("errors", models.PositiveIntegerField(default=0)),
                ("tps", models.FloatField()),
                ("latency_ms", models.JSONField()),
                ("figures", models.JSONField()),
                ("latencies", models.JSONField(default=list)),
                ("load_average", models.FloatField(null=True)),
                ("effective", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="Experiment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("recipe", models.CharField(blank=True, max_length=80)),
                ("recipe_size", models.CharField(blank=True, max_length=20)),
                ("claims", models.JSONField(default=dict)),
                ("outcomes", models.JSONField(default=dict)),
                ("plan", models.JSONField()),
                ("seed", models.PositiveBigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "running"),
                            ("done", "finished"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                            ("interrupted", "interrupted"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=12,
                    ),
                ),
                ("cancel_asked", models.BooleanField(default=False)),
                ("error", models.TextField(blank=True)),
                ("mend", models.TextField(blank=True)),
                ("phase", models.CharField(blank=True, max_length=200)),
                ("estimate_s", models.FloatField(default=0)),
                ("production_confirmed", models.BooleanField(default=False)),
                ("claim", models.UUIDField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("by_command_line", models.BooleanField(default=False)),
                ("started_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("baseline", models.CharField(blank=True, max_length=80)),
                ("analysis", models.JSONField(default=dict)),
                ("finding", models.TextField(blank=True)),
                ("baseline_of", models.CharField(max_length=64, null=True, unique=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("imported_at", models.DateTimeField(null=True)),
                ("imported_from", models.JSONField(default=dict)),
                ("imported_digest", models.CharField(max_length=64, null=True, unique=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "deleted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "queued_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="queued",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to="fleet.worker"),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Probe",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("data", models.JSONField()),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="probes", to="experiments.experiment"
                    ),
                ),
                ("server", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="servers.server")),
            ],
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=30, unique=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("variant", models.CharField(max_length=80)),
                ("kind", models.CharField(max_length=40)),
                ("repeat", models.PositiveIntegerField()),
                ("seed", models.PositiveBigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "measured"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                            ("interrupted", "interrupted"),
                        ],
                        default="waiting",
                        max_length=12,
                    ),
                ),
                ("error", models.TextField(blank=True)),
                ("mend", models.TextField(blank=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("valid", "valid"), ("invalid", "invalid"), ("unknown", "unknown")],
                        max_length=8,
                    ),
                ),
                ("sent", models.PositiveIntegerField(null=True)),
                ("acknowledged", models.PositiveIntegerField(null=True)),
                ("in_doubt", models.PositiveIntegerField(null=True)),
                ("lost_engine", models.PositiveIntegerField(null=True)),
                ("lost_engine_ms", models.FloatField(null=True)),
                ("lost_binlog", models.PositiveIntegerField(null=True)),
                ("lost_binlog_ms", models.FloatField(null=True)),
                ("lost_replica", models.PositiveIntegerField(null=True)),
                ("recovery_s", models.FloatField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, to="experiments.environment"
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="Cell",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("block", models.PositiveIntegerField()),
                ("variant", models.CharField(max_length=80)),
                ("workload", models.CharField(max_length=80)),
                ("threads", models.PositiveIntegerField()),
                ("repeat", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "measured"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                            ("interrupted", "interrupted"),
                        ],
                        default="waiting",
                        max_length=12,
                    ),
                ),
                ("error", models.TextField(blank=True)),
                ("mend", models.TextField(blank=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="%(class)ss", to="servers.server"
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="experiments.experiment",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="Evidence",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="evidence",
                        serialize=False,
                        to="experiments.run",
                    ),
                ),
                ("command", models.JSONField()),
                ("my_cnf", models.TextField(blank=True)),
                ("output", models.TextField()),
                ("histogram", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Series",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="series",
                        serialize=False,
                        to="experiments.run",
                    ),
                ),
                ("columns", models.JSONField()),
            ],
        ),
        migrations.AddField(
            model_name="run",
            name="cell",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="run", to="experiments.cell"
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="environment",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="experiments.environment"),
        ),
        migrations.CreateModel(
            name="Words",
            fields=[
                (
                    "experiment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="words",
                        serialize=False,
                        to="experiments.experiment",
                    ),
                ),
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("name", models.CharField(blank=True, max_length=150)),
                ("text", models.TextField(max_length=2000)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="experiments.experiment",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Part",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempt", models.DateTimeField()),
                ("number", models.PositiveIntegerField()),
                ("threads", models.PositiveIntegerField()),
                ("request", models.JSONField()),
                ("login", models.CharField(blank=True, max_length=255)),
                ("sysbench", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("taken", "taken"),
                            ("ready", "ready"),
                            ("running", "running"),
                            ("stopping", "stopping"),
                            ("done", "measured"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("by", models.CharField(blank=True, max_length=140)),
                ("taken_at", models.DateTimeField(null=True)),
                ("began_s", models.FloatField(null=True)),
                ("trip_s", models.FloatField(null=True)),
                ("load_average", models.FloatField(null=True)),
                ("result", models.JSONField(null=True)),
                ("error", models.TextField(blank=True)),
                ("mend", models.TextField(blank=True)),
                (
                    "cell",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="experiments.cell"
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to="fleet.worker"),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.AddField(
            model_name="run",
            name="probe",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to="experiments.probe"),
        ),
        migrations.AddField(
            model_name="experiment",
            name="tags",
            field=models.ManyToManyField(blank=True, related_name="experiments", to="experiments.tag"),
        ),
        migrations.CreateModel(
            name="TrialEvidence",
            fields=[
                (
                    "trial",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="evidence",
                        serialize=False,
                        to="experiments.trial",
                    ),
                ),
                ("data", models.JSONField()),
            ],
        ),
        migrations.AddField(
            model_name="trial",
            name="experiment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="%(class)ss", to="experiments.experiment"
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="repeats",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to="experiments.trial"),
        ),
        migrations.AddField(
            model_name="trial",
            name="server",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="%(class)ss", to="servers.server"
            ),
        ),
        migrations.AddIndex(
            model_name="cell",
            index=models.Index(fields=["server", "experiment"], name="cells_of_server"),
        ),
        migrations.AddConstraint(
            model_name="cell",
            constraint=models.UniqueConstraint(fields=("experiment", "position"), name="one_position_each"),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(fields=("cell", "number"), name="one_part_each"),
        ),
        migrations.AddIndex(
            model_name="experiment",
            index=models.Index(
                condition=models.Q(("deleted_at", None)), fields=["-created_at", "-id"], name="experiments_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="experiment",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["state", "-created_at", "-id"],
                name="experiments_in_state",
            ),
        ),
        migrations.AddIndex(
            model_name="experiment",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["recipe", "-created_at", "-id"],
                name="experiments_of_recipe",
            ),
        ),
        migrations.AddIndex(
            model_name="experiment",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False)),
                fields=["-deleted_at", "-id"],
                name="experiments_deleted",
            ),
        ),
        migrations.AddConstraint(
            model_name="experiment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("imported_at", None),
                    models.Q(("state__in", ["queued", "running"]), _negated=True),
                    _connector="OR",
                ),
                name="imported_is_over",
            ),
        ),
        migrations.AddIndex(
            model_name="trial",
            index=models.Index(fields=["server", "experiment"], name="trials_of_server"),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.UniqueConstraint(fields=("experiment", "position"), name="one_trial_position_each"),
        ),
    ]
