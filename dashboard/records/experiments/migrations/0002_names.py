from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("experiments", "0001_tables")]

    operations = [
        migrations.RenameField("experiment", "phase", "activity"),
        migrations.RenameField("trial", "repeats", "repeat_of"),
        migrations.RenameModel("Evidence", "RunEvidence"),
    ]
