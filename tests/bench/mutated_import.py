"""A pytest plugin: one module is imported with a fault in it, told by MUTANT=FILE:NUMBER. For faults outside functions,
which cannot be swapped into modules that are already imported."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from tests.bench.mutants import mutated

FILE, _, NUMBER = os.environ["MUTANT"].rpartition(":")
NAME = FILE.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Faulty(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, FILE, loader=Loader(name, FILE)) if name == NAME else None


class Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        exec(compile(mutated(Path(FILE).read_text(), int(NUMBER)), FILE, "exec"), module.__dict__)


assert NAME not in sys.modules, f"{NAME} is imported already: the fault would not be noticed"
sys.meta_path.insert(0, Faulty())
