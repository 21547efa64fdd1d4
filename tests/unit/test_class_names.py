"""One class name stands for one thing."""

import re
from collections import defaultdict

from dashboard.installation.home import PROJECT
from tests.walks import report

GIVEN = {"Meta", "Command"}  # by Django
CLASS = re.compile(r"^ *class (\w+)\b", re.MULTILINE)


def twice(texts):
    """`texts`: file -> its text. -> "Name: the files" of each class of the same name."""
    places = defaultdict(list)
    for file, text in texts.items():
        for name in set(CLASS.findall(text)) - GIVEN:
            places[name].append(file)
    return [f"{name}: {', '.join(files)}" for name, files in sorted(places.items()) if len(files) > 1]


def test_no_class_name_stands_for_two_things():
    files = [path for room in ("dashboard", "workers") for path in (PROJECT / room).rglob("*.py")]
    report(twice({str(path): path.read_text() for path in files if path.parent.name != "migrations"}))


def test_the_check_itself():
    texts = {"a.py": "class Entry:\n", "b.py": "class Entry(Base):\n    class Meta: ...", "c.py": "class Meta: ..."}
    assert twice(texts) == ["Entry: a.py, b.py"]
