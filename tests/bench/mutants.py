"""Small faults for one Python file, as a careless author would make them: a comparison turned round, a number one too
high, a condition that is always true, a statement left out. Types, decorators, docstrings and log lines
are left alone."""

import ast
import copy
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SEED = 20261122
COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "len"}
LEFT_ALONE = ("annotation", "returns", "decorator_list")
SHOWN_WHOLE = (ast.expr, ast.keyword, ast.Assign, ast.AugAssign, ast.AnnAssign)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Place:
    """A node of the tree: where it hangs, its statement, and the outermost function around it ("" at module level)."""

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt
    function: str = ""
    function_line: int = 0

    def put(self, new: ast.AST) -> None:
        ast.copy_location(new, self.node)
        if self.index is None:
            setattr(self.parent, self.field, new)
        else:
            getattr(self.parent, self.field)[self.index] = new


@dataclass(frozen=True)
class Mutant:
    """`number`: its place in the list of the whole file. `lines`: a test that runs one of them may notice it."""

    path: str
    number: int
    lines: tuple[int, ...]
    function: str
    function_line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[0]}  {self.before}  ->  {self.after}"


def mutants(path: str, source: str, most: int | None = None) -> list[Mutant]:
    """All of a file, or `most` of them, the same in every run."""
    found = [_described(path, number, place, new) for number, (place, new) in enumerate(_changes_of(ast.parse(source)))]
    if most is None or len(found) <= most:
        return found
    return sorted(random.Random(f"{SEED}:{path}").sample(found, most), key=lambda one: one.number)


def mutated(source: str, number: int) -> ast.Module:
    """The file's tree with one fault in it."""
    tree = ast.parse(source)
    place, new = next(itertools.islice(_changes_of(tree), number, None))
    place.put(new)
    return ast.fix_missing_locations(tree)


def _described(path: str, number: int, place: Place, new: ast.AST) -> Mutant:
    shown = place.node
    statement = shown if isinstance(shown, ast.stmt) else place.statement
    lines = dict.fromkeys([*range(shown.lineno, _head_end(shown) + 1), statement.lineno])
    before, after = _text(shown), _text(new)
    if isinstance(place.parent, SHOWN_WHOLE) and len(before) < 30:  # a lone number says little
        before, after = _in_parent(place, new)
    return Mutant(path, number, tuple(lines), place.function, place.function_line, before, after)


def _head_end(node: ast.AST) -> int:
    """Of a compound statement only the first part is changed."""
    return node.test.end_lineno if isinstance(node, ast.If) else node.end_lineno


def _in_parent(place: Place, new: ast.AST) -> tuple[str, str]:
    before = _text(place.parent)
    place.put(new)
    after = _text(place.parent)
    place.put(place.node)
    return before, after


def _text(node: ast.AST) -> str:
    whole = f"if {ast.unparse(node.test)}" if isinstance(node, ast.If) else ast.unparse(node)
    return whole if len(whole) <= 160 else f"{whole[:157]}..."


def _changes_of(tree: ast.Module) -> Iterator[tuple[Place, ast.AST]]:
    for place in _places(tree):
        for new in _changes(place):
            yield place, new


def _places(tree: ast.Module) -> Iterator[Place]:
    for index, statement in enumerate(tree.body):
        yield from _below(Place(statement, tree, "body", index, statement), "")


def _below(place: Place, names: str) -> Iterator[Place]:
    node = place.node
    if _is_left_alone(node):
        return
    yield place
    statement = node if isinstance(node, ast.stmt) else place.statement
    function, line = place.function, place.function_line
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        names = f"{names}{node.name}."
    for field, value in ast.iter_fields(node):
        if field in LEFT_ALONE:
            continue
        if isinstance(node, FUNCTIONS) and field == "body" and not function:
            function = names.rstrip(".")
            line = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield from _below(Place(child, node, field, index, statement, function, line), names)


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        called = node.value.func if isinstance(node.value, ast.Call) else None
        is_log_line = (
            isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "log"
        )
        return isinstance(node.value, ast.Constant) or is_log_line
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _changes(place: Place) -> Iterator[ast.AST]:
    node = place.node
    if change := _BY_KIND.get(type(node)):
        yield from change(node)
    if isinstance(place.parent, ast.comprehension) and place.field == "ifs":
        yield ast.Constant(True)
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await))
    if place.function and (is_call or isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))):
        yield ast.Pass()


def _with(node: ast.AST, **changed: object) -> ast.AST:
    new = copy.deepcopy(node)
    for name, value in changed.items():
        setattr(new, name, value)
    return new


def _comparison(node: ast.Compare) -> Iterator[ast.AST]:
    for index, known in enumerate(node.ops):
        for other in COMPARISONS[type(known)]:
            yield _with(node, ops=[*node.ops[:index], other(), *node.ops[index + 1 :]])


def _operator(node: ast.BinOp | ast.AugAssign) -> Iterator[ast.AST]:
    if other := OPERATORS.get(type(node.op)):
        yield _with(node, op=other())


def _both_or_one(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _negation(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Not):
        yield copy.deepcopy(node.operand)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif node.value == "":
        yield ast.Constant("x")


def _result(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield ast.Return(ast.Constant(None))


def _call(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield _with(node, func=ast.Name(CALLS[node.func.id], ast.Load()))


def _condition(node: ast.If | ast.IfExp) -> Iterator[ast.AST]:
    for always in (True, False):
        yield _with(node, test=ast.Constant(always))


_BY_KIND: dict[type, Callable[..., Iterator[ast.AST]]] = {
    ast.Compare: _comparison, ast.BinOp: _operator, ast.AugAssign: _operator, ast.BoolOp: _both_or_one,
    ast.UnaryOp: _negation, ast.Constant: _constant, ast.Return: _result, ast.Call: _call, ast.If: _condition,
    ast.IfExp: _condition,
}  # fmt: skip
