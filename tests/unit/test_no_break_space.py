"""A percentage never breaks across lines: a no-break space stands between the number and its sign."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BREAKS = re.compile(r"\d %(?=[\s).,;:<\"]|$)")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
MODULES = sorted(path for room in ("findings", "charts", "text") for path in (ROOT / "dashboard" / room).rglob("*.py"))


def _said(source: str) -> list[str]:
    """Strings of a module, without its docstrings. A column's name ("95 % from") is not shown as it is."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {id(node.body[0].value) for node in ast.walk(tree)
            if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [node.value for node in strings if id(node) not in docs and node.value not in ("95 % from", "95 % to")]


@pytest.mark.parametrize("text", ["within 95 % of", "12 %.", "(95 %)"])
def test_a_breaking_space_before_a_percent_sign_is_found(text):
    assert BREAKS.search(text)


def test_no_template_breaks_a_percentage():
    headings = re.compile(r"{% term .*? %}")  # the tag puts the space in
    found = [
        path.name for path in TEMPLATES if BREAKS.search(re.sub(r"{%.*?%}", "", headings.sub("", path.read_text())))
    ]
    assert not found


def test_no_sentence_breaks_a_percentage():
    found = [(path.name, text) for path in MODULES for text in _said(path.read_text()) if BREAKS.search(text)]
    assert not found
