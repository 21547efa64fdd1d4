from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [
        migrations.AlterModelOptions("event", {"ordering": ["-at", "-pk"]}),
        migrations.AlterField("event", "did", models.CharField(db_index=True, max_length=40)),
    ]
