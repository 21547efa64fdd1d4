import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import dashboard.records.fleet.site_names


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("servers", "0001_initial"),
        ("servers", "0002_server_crash_command_server_expendable_and_more"),
        ("servers", "0003_owner"),
        ("servers", "0004_site"),
        ("servers", "0005_debt_restart"),
        ("servers", "0006_imported"),
        ("servers", "0007_earlier_hosts"),
        ("servers", "0008_commands_by_and_binlog_index"),
        ("servers", "0009_preflight_claimed"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Server",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("attached", "attached"),
                            ("sandbox", "sandbox"),
                            ("imported", "of an imported experiment"),
                        ],
                        max_length=10,
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=255)),
                ("earlier_hosts", models.JSONField(blank=True, default=list)),
                ("port", models.PositiveIntegerField(default=3306)),
                ("socket", models.CharField(blank=True, max_length=255)),
                ("user", models.CharField(blank=True, max_length=80)),
                ("password_sealed", models.BinaryField(default=b"")),
                (
                    "tls",
                    models.CharField(
                        choices=[
                            ("off", "off: nothing is encrypted"),
                            ("preferred", "preferred: Durascope's queries are encrypted if possible, the load is not"),
                            ("required", "required: always encrypted, whatever its certificate says"),
                            ("verify", "verified: always encrypted, and its certificate must match"),
                        ],
                        default="preferred",
                        max_length=10,
                    ),
                ),
                ("tls_ca", models.CharField(blank=True, max_length=500)),
                (
                    "label",
                    models.CharField(
                        choices=[("production", "production"), ("staging", "staging"), ("test", "test")],
                        default="test",
                        max_length=12,
                    ),
                ),
                ("note", models.TextField(blank=True, max_length=2000)),
                ("build", models.CharField(blank=True, max_length=80)),
                (
                    "site",
                    models.CharField(
                        blank=True,
                        default="local",
                        max_length=40,
                        validators=[dashboard.records.fleet.site_names.check],
                    ),
                ),
                ("expendable", models.BooleanField(default=False)),
                ("crash_command", models.JSONField(blank=True, default=list)),
                ("start_command", models.JSONField(blank=True, default=list)),
                ("binlog_index", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "commands_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="owned_servers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Preflight",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("queued", "waiting for a worker"), ("running", "running"), ("done", "done")],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("claimed", models.PositiveSmallIntegerField(default=0)),
                ("checks", models.JSONField(default=list)),
                ("durability", models.JSONField(default=list)),
                ("facts", models.JSONField(default=dict)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="preflights", to="servers.server"
                    ),
                ),
            ],
            options={
                "ordering": ["-asked_at"],
            },
        ),
        migrations.AddConstraint(
            model_name="server",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("host", ""), ("kind", "sandbox"), ("socket", ""), models.Q(("build", ""), _negated=True)),
                    models.Q(
                        ("build", ""),
                        ("kind", "attached"),
                        models.Q(
                            models.Q(("host", ""), _negated=True),
                            models.Q(("socket", ""), _negated=True),
                            _connector="OR",
                        ),
                    ),
                    models.Q(("build", ""), ("host", ""), ("kind", "imported"), ("socket", ""), ("user", "")),
                    _connector="OR",
                ),
                name="attached_has_address_sandbox_has_build",
            ),
        ),
        migrations.AddConstraint(
            model_name="server",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("expendable", False),
                    models.Q(("kind", "attached"), models.Q(("label", "production"), _negated=True)),
                    _connector="OR",
                ),
                name="expendable_is_attached_and_never_production",
            ),
        ),
    ]
