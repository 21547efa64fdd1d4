"""The faults that the mutation score rests on: each kind is made, and each can be compiled."""

import ast

import pytest

from dashboard.installation.home import PROJECT
from tests.bench.equivalent import EQUIVALENT
from tests.bench.mutants import mutants, mutated

MADE = {
    "a < b": {"a <= b", "a >= b"},
    "a == b": {"a != b"},
    "a not in b": {"a in b"},
    "a + b": {"a - b"},
    "a and b": {"a or b"},
    "not a": {"a"},
    "f(2)": {"f(3)"},
    "f('')": {"f('x')"},
    "f(True)": {"f(False)"},
    "max(a, b)": {"min(a, b)"},
    "a if b else c": {"a if True else c", "a if False else c"},
    "[a for a in b if a]": {"[a for a in b if True]"},
}


@pytest.mark.parametrize("expression", MADE)
def test_each_kind_of_fault_is_made(expression):
    source = f"def f(a, b, c):\n    return {expression}\n"
    made = [ast.unparse(mutated(source, one.number).body[0].body[0]) for one in mutants("f.py", source)]
    assert set(made) == {f"return {one}" for one in MADE[expression]} | {"return None"}


def test_statements_and_conditions_are_left_out():
    source = "def f(a):\n    a = g(a)\n    a += 1\n    h(a)\n    if a:\n        h(a)\n"
    made = {ast.unparse(mutated(source, one.number)) for one in mutants("f.py", source)}
    assert {one for one in made if "pass" in one or "if True" in one or "if False" in one} == {
        "def f(a):\n    pass\n    a += 1\n    h(a)\n    if a:\n        h(a)",
        "def f(a):\n    a = g(a)\n    pass\n    h(a)\n    if a:\n        h(a)",
        "def f(a):\n    a = g(a)\n    a += 1\n    pass\n    if a:\n        h(a)",
        "def f(a):\n    a = g(a)\n    a += 1\n    h(a)\n    if a:\n        pass",
        "def f(a):\n    a = g(a)\n    a += 1\n    h(a)\n    if True:\n        h(a)",
        "def f(a):\n    a = g(a)\n    a += 1\n    h(a)\n    if False:\n        h(a)",
    }


def test_types_docstrings_and_log_lines_are_left_alone():
    source = 'def f(a: Literal[1] = None) -> Literal[2]:\n    """Doc."""\n    log.info("x", 1)\n'
    assert mutants("f.py", source) == []


def test_a_fault_knows_its_function_and_lines():
    source = (
        "X = 1\nclass A:\n    @cache\n    def f(self):\n        def g():\n            return (1 +\n            x)\n"
    )
    found = {(one.after, one.function, one.function_line, one.lines) for one in mutants("f.py", source)}
    assert ("X = 2", "", 0, (1,)) in found
    assert ("1 - x", "A.f", 3, (6, 7)) in found


def test_a_sample_is_the_same_each_time():
    source = "x = [" + ", ".join(map(str, range(100))) + "]"
    assert mutants("f.py", source, 10) == mutants("f.py", source, 10) != mutants("g.py", source, 10)
    assert len(mutants("f.py", source, 10)) == 10


def test_functions_are_found_although_collecting_froze_them():
    """Without them each fault would need a fresh interpreter."""
    from tests.bench.mutation import _functions

    found = _functions()
    assert found[mutants.__code__.co_filename, "mutants", mutants.__code__.co_firstlineno] == [mutants]


@pytest.mark.parametrize("file", EQUIVALENT)
def test_each_listed_equivalent_fault_exists_in_its_file_and_has_a_reason(file):
    made = {(one.before, one.after) for one in mutants(file, (PROJECT / file).read_text())}
    assert EQUIVALENT[file].keys() <= made
    assert all(EQUIVALENT[file].values())
