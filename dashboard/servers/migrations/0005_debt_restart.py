from django.db import migrations, models


class Migration(migrations.Migration):
    """A server that was crashed must be started again: that is owed too."""

    dependencies = [("servers", "0004_site")]

    operations = [
        migrations.AddField(model_name="debt", name="tried_at", field=models.DateTimeField(null=True)),
        migrations.AlterField(
            model_name="debt",
            name="kind",
            field=models.CharField(
                choices=[("variable", "global variable"), ("schema", "schema"), ("start", "the server itself")],
                max_length=10,
            ),
        ),
        migrations.AlterField(model_name="debt", name="name", field=models.CharField(blank=True, max_length=80)),
    ]
