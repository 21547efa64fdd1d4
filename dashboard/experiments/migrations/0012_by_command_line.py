import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Tells an experiment that was queued on the command line from one whose account was deleted. Of older ones that
    wait this is not known: they are refused, and can be resumed."""

    dependencies = [
        ("experiments", "0011_claim"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(model_name="experiment", name="by_command_line", field=models.BooleanField(default=False)),
        migrations.AlterField(
            model_name="experiment",
            name="queued_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="queued",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
