"""What every file of one kind must keep to."""

from pathlib import Path

from tests.walks import report

PROJECT = Path(__file__).resolve().parents[2]
WIDEST = 160  # characters; the formatter breaks lines at 120, but not inside a tag of Django


def test_the_lines_of_templates_can_be_read():
    report(
        f"{path.relative_to(PROJECT)}:{number}: {len(line)} characters"
        for path in sorted((PROJECT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) >= WIDEST
    )
