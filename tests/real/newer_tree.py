"""A copy of this project as its next version might be: another version number, one more field in the plan, and one more
column in a table that workers write."""

import re
import shutil
from pathlib import Path

from dashboard.installation.home import PROJECT

VERSION = "77.1.0"
FOLDERS, FILES = ("dashboard", "docs", "workers", "templates"), ("manage.py", "pyproject.toml")
MIGRATION = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("experiments", "{last}")]
    operations = [migrations.AddField("run", "added", models.CharField(max_length=20, db_default=""))]
"""


def make(folder: Path) -> Path:
    for name in FOLDERS:
        shutil.copytree(PROJECT / name, folder / name)  # with the bytecode, which holds while the times are the same
    for name in FILES:
        shutil.copy(PROJECT / name, folder)
    _change(folder / "pyproject.toml", r'(?m)^version = ".*"', f'version = "{VERSION}"')
    _change(folder / "workers/bench/plan.py", r"(?m)^    @property\n    def limits", "    added: int = 0\n\n\\g<0>")
    models = folder / "dashboard/records/experiments/models.py"
    _change(
        models,
        r"(?ms)^class Run\(.*?\n(?=    \w+ = models)",
        '\\g<0>    added = models.CharField(max_length=20, db_default="")\n',
    )
    migrations = folder / "dashboard/records/experiments/migrations"
    last = max(path.stem for path in migrations.glob("0*.py"))
    (migrations / "9000_added.py").write_text(MIGRATION.format(last=last))
    return folder


def _change(file: Path, pattern: str, to: str) -> None:
    text, count = re.subn(pattern, to, file.read_text(), count=1)
    assert count == 1, f"{file} does not hold {pattern}"
    file.write_text(text)
