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


def open_comments(text):
    """Numbers of lines on which a comment of one line begins and does not end: Django prints it."""
    return [number for number, line in enumerate(text.splitlines(), start=1) if line.count("{#") != line.count("#}")]


def test_no_comment_of_a_template_is_printed():
    assert open_comments("{# one line #}\n{# a first line,\nand a second one #}") == [2, 3]
    templates = sorted((PROJECT / "templates").rglob("*.html"))
    report(f"{path.relative_to(PROJECT)}:{number}" for path in templates for number in open_comments(path.read_text()))
