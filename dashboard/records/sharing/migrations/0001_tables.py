import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("sharing", "0001_initial"),
        ("sharing", "0002_comparisons_and_embeds"),
    ]

    dependencies = [
        ("experiments", "0001_tables"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("comparison", models.TextField(blank=True, default="")),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("note", models.CharField(blank=True, max_length=200)),
                ("embeddable", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("used_at", models.DateTimeField(null=True)),
                ("views", models.PositiveIntegerField(default=0)),
                ("embeds", models.PositiveIntegerField(default=0)),
                ("compared", models.ManyToManyField(related_name="comparison_links", to="experiments.experiment")),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="experiments.experiment",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("comparison", ""), ("experiment__isnull", False)),
                            models.Q(("experiment", None), models.Q(("comparison", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="a_link_opens_one_thing",
                    )
                ],
            },
        ),
    ]
