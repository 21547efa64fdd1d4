"""The source tree of the site: the documents as they are, the pages made from the code, and the menu, which is the list
of docs/README.md. Files that a document links to come along."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from reference import PAGES

PROJECT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
MADE = "Reference"  # the chapter of docs/README.md to which the pages made from the code belong


def make(to: Path) -> None:
    documents = [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")]
    for file in {*documents, *(linked for one in documents for linked in _linked(one))}:
        there = to / file.relative_to(PROJECT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, there)
    (to / "reference").mkdir()
    for name, made in PAGES.items():
        (to / f"reference/{name}.md").write_text(made())
    _add_menu(to / "docs/README.md")
    _append(to / "docs/research/README.md", _toctree(["*"], ":glob:"))


def _linked(document: Path) -> Iterator[Path]:
    """Pictures and other files of the project."""
    for address in LINK.findall(document.read_text()):
        file = (document.parent / address).resolve()
        if file.is_file() and file.is_relative_to(PROJECT):
            yield file


def _add_menu(front: Path) -> None:
    for chapter in front.read_text().split("\n## ")[1:]:
        title, _, rest = chapter.partition("\n")
        pages = [page.removesuffix(".md") for page in dict.fromkeys(LINK.findall(rest)) if page.endswith(".md")]
        if title == MADE:
            pages += [f"../reference/{name}" for name in PAGES]
        _append(front, _toctree(pages, f":caption: {title}"))


def _toctree(pages: list[str], option: str) -> str:
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n{option}\n\n{listed}\n```\n"


def _append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)
