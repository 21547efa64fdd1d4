"""Links between the documents lead to a file and a heading that exist."""

import re
from collections.abc import Iterator
from pathlib import Path

from dashboard.installation.home import PROJECT
from tests.walks import report

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def broken(page: Path) -> Iterator[str]:
    for file, heading in LINK.findall(page.read_text()):
        there = (page.parent / file).resolve() if file else page
        if not there.exists():
            yield f"{page.name}: no file {file}"
        elif heading and heading not in headings(there):
            yield f"{page.name}: no heading {heading} in {there.name}"


def headings(page: Path) -> set[str]:
    """The anchors that a forge makes of the headings."""
    written = re.findall(r"(?m)^#+ (.+)$", page.read_text())
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in written}


def test_every_link_leads_somewhere():
    pages = [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")]
    assert len(pages) > 30
    report(offender for page in pages for offender in broken(page))


def test_a_broken_link_is_named(tmp_path):
    """The control."""
    (tmp_path / "b.md").write_text("## Here (it is)\n")
    page = tmp_path / "a.md"
    page.write_text("[1](c.md) [2](b.md#here-it-is) [3](b.md#there) [4](#nowhere) [5](https://example.org/x.md)")
    assert list(broken(page)) == [
        "a.md: no file c.md",
        "a.md: no heading there in b.md",
        "a.md: no heading nowhere in a.md",
    ]
