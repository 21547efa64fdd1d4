"""Whole English sentences are kept beside the tests, once each: tests/sentences/<test file>.json.

    def test_the_verdict_says_what_was_lost(words):
        words(verdict.says)

fails when the sentence differs from the stored one. Who rewrites prose runs `pytest --write-sentences` on these tests
and reads the difference in git. Decisions and figures are asserted in other tests, without the prose around them."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "sentences"
TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-sentences", action="store_true", help="Store the sentences that the tests meet.")


@pytest.fixture
def words(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`words(text)` or `words(list of texts)`, with a name where a test has several: `words(text, "the title")`."""
    kept = Kept(file_for(request.path), set(vars(request.module)))

    def same(told: object, name: str = "") -> None:
        key = f"{request.node.name} {name}".strip()
        if request.config.getoption("--write-sentences"):
            kept.write(key, _plain(told))
        else:
            assert _plain(told) == kept.read(key), f"Other words? Then: pytest --write-sentences {request.node.nodeid}"

    return same


def file_for(test: Path) -> Path:
    return FOLDER / Path(*test.relative_to(TESTS).parts[-2:]).with_suffix(".json")


def _plain(told: object) -> Any:
    """As JSON brings it back: tuples are lists."""
    return json.loads(json.dumps(told, default=str))


class Kept:
    """The sentences of one test file. `tests`: names in it; sentences of other tests are dropped when it is written."""

    def __init__(self, path: Path, tests: set[str]) -> None:
        self._path, self._tests = path, tests

    def read(self, key: str) -> Any:
        stored = self._stored()
        assert key in stored, f"{self._path.name} has no sentence for {key}: pytest --write-sentences stores it."
        return stored[key]

    def write(self, key: str, told: Any) -> None:
        still = {known: text for known, text in self._stored().items() if self._is_of_a_test(known)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_suffix(f".{os.getpid()}")
        text = json.dumps({**still, key: told}, indent=1, ensure_ascii=False, sort_keys=True)
        unfinished.write_text(text + "\n")
        unfinished.replace(self._path)

    def _is_of_a_test(self, key: str) -> bool:
        return key.partition(" ")[0].partition("[")[0] in self._tests

    def _stored(self) -> dict[str, Any]:
        return json.loads(self._path.read_text()) if self._path.exists() else {}
