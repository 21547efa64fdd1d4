"""What a reader can do about an error has one name everywhere: fix."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("experiments", "0009_retention")]
    operations = [migrations.RenameField(model, "mend", "fix") for model in ("experiment", "cell", "part", "trial")]
