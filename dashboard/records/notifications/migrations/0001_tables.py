import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("notifications", "0001_initial"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Channel",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("kind", models.CharField(choices=[("email", "e-mail"), ("webhook", "webhook")], max_length=10)),
                ("events", models.JSONField(default=list)),
                ("address_sealed", models.BinaryField()),
                ("shown", models.CharField(max_length=255)),
                ("secret_sealed", models.BinaryField(default=b"")),
                ("paused_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("to", models.CharField(max_length=80)),
                ("event", models.CharField(max_length=40)),
                ("title", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("path", models.CharField(max_length=200)),
                ("facts", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("sent", "sent"), ("failed", "failed")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("next_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "channel",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="deliveries",
                        to="notifications.channel",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("state", "waiting")), fields=["next_at"], name="delivery_waiting"),
                    models.Index(fields=["-created_at", "-id"], name="delivery_newest"),
                ],
            },
        ),
    ]
