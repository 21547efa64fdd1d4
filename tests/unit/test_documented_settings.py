"""docs/settings.md lists every environment variable that the program reads, no other, and the defaults of the code.
docs/api.md lists the health checks, and names only addresses that are there."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from dashboard.environment import IDLE_MINUTES, KEEP_DAYS, ONE_TIME_HOURS
from dashboard.installation.home import PROJECT
from dashboard.pages.api import document
from dashboard.pages.monitoring.health import CHECKS

VARIABLE = re.compile(r"\b(DURASCOPE_[A-Z_]+[A-Z]|DATABASE_URL)\b")
# set by the program for itself or its own children, for containers (docs/containers.md), or by tests
OTHERS = {"DURASCOPE_TESTING", "DURASCOPE_NODES", "DURASCOPE_LOOKS_ONLY"}
SECRET = "DURASCOPE_SECRET_KEY"  # dashboard/settings.py asks for it by the name of its file
SCRIPTS = [*PROJECT.glob("scripts/*")]
CODE = [*PROJECT.glob("dashboard/**/*.py"), *PROJECT.glob("workers/**/*.py")]


def rows(text: str) -> dict[str, str]:
    """Variable -> the cell with its default; variables of one row share a cell."""
    cells = (line.split("|") for line in text.splitlines() if line.startswith("| `D"))
    return {name: default for _, names, default, *_ in cells for name in VARIABLE.findall(names)}


TOLD = rows((PROJECT / "docs/settings.md").read_text())


def read_by(files: Iterable) -> set[str]:
    texts = (file.read_text(errors="replace") for file in files if file.is_file())
    return {name for text in texts for name in VARIABLE.findall(text)} - OTHERS


@cache
def defaults() -> list[tuple[str, str]]:
    named = {"DURASCOPE_IDLE_MINUTES": IDLE_MINUTES, "DURASCOPE_ONE_TIME_HOURS": ONE_TIME_HOURS}
    named |= {f"DURASCOPE_KEEP_{name.upper()}": days for name, days in KEEP_DAYS.items()}
    return [*in_code(), *((name, str(default)) for name, default in named.items())]


def in_code() -> Iterator[tuple[str, str]]:
    """(Variable, its default) where the code has it as a text beside the name: `environ.get("NAME", "DEFAULT")`."""
    for file in CODE:
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(args=[ast.Constant(value=str(name)), ast.Constant(value=str(default))]) if default:
                    if VARIABLE.fullmatch(name):
                        yield name, default


def wrong(told: dict[str, str]) -> dict[str, str]:
    """Variables whose documented default is another one."""
    return {name: default for name, default in defaults() if f"`{default}`" not in told.get(name, "")}


def test_every_variable_that_is_read_is_documented_and_no_other():
    read = read_by([*CODE, *SCRIPTS]) | {f"DURASCOPE_KEEP_{name.upper()}" for name in KEEP_DAYS} | {SECRET}
    assert len(read) > 20, "else the search is broken"
    assert read == TOLD.keys()


def test_the_documented_defaults_are_those_of_the_code():
    assert len(dict(defaults())) > 8, "else the search is broken"
    assert not wrong(TOLD)
    assert wrong(TOLD | {"DURASCOPE_IDLE_MINUTES": "`7`"}) == {"DURASCOPE_IDLE_MINUTES": "720"}


@pytest.fixture(scope="module")
def api_told() -> str:
    return (PROJECT / "docs/api.md").read_text()


def test_the_document_of_the_api_lists_each_health_check(api_told):
    table = api_told.partition("| check |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:]))) == set(CHECKS)


def test_the_document_of_the_api_names_only_operations_that_there_are(api_told):
    known = {re.sub(r"\{\w+\}", "1", path).strip("/").removeprefix("api/v1/") for path in document.openapi()["paths"]}
    named = set(re.findall(r"\$HERE/([\w/]+)|`(?:GET|POST) ([\w/]+)`", api_told))
    asked = {one.strip("/") for pair in named for one in pair if one}
    assert len(asked) > 5 and asked <= known
