"""Which faults would the tests not notice? Puts small faults into the product's files, one at a time, and runs the
tests that reach the changed line. Prints the survivors and the score, without faults that change nothing
(`tests.bench.equivalent`).

    python -m tests.bench.mutation                                    the judging core, 40 faults of each file
    python -m tests.bench.mutation workers/crash/verdict.py           one file, or a folder, of the core
    python -m tests.bench.mutation dashboard/x.py --tests tests/unit/x --most 0      any file; 0: all its faults

The tests are collected once. Each fault is tried in a child process, which swaps the changed function in and ends. A
fault outside functions needs a fresh interpreter, which takes seconds. Files of tests that noticed faults before come
first. As many folders as the machine has cores are measured at the same time. Nothing is written to the project's
files."""

import argparse
import functools
import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import hypothesis
import pytest

from tests.bench.equivalent import EQUIVALENT
from tests.bench.mutants import Mutant, mutants, mutated

PROJECT = Path(__file__).resolve().parents[2]
CORE = {  # what judges, and the tests that hold it
    "workers/crash": ["tests/unit/crash"],
    "workers/analysis": ["tests/unit/analysis"],
    "workers/servers": ["tests/unit/servers"],
    "dashboard/findings/crash": [
        "tests/unit/findings",
        "tests/unit/charts/test_risk_payload.py",
        "tests/unit/results/test_crash_pages.py",
        "tests/unit/results/test_recorded_load.py",
        "tests/unit/results/test_load_maps.py",
    ],
}
NOTICED, SURVIVED, UNFIT = 10, 11, 12  # exit statuses of a child
LEAST_LIMIT_S = 20.0


@dataclass
class Outcome:
    survivors: list[Mutant] = field(default_factory=list)
    unreached: list[Mutant] = field(default_factory=list)
    noticed: int = 0
    equivalent: int = 0

    @property
    def score(self) -> str:
        tried = self.noticed + len(self.survivors) + len(self.unreached)
        share = f"{100 * self.noticed / tried:.1f} %" if tried else "no faults"
        return f"{self.noticed} of {tried} faults noticed: {share}; {self.equivalent} others change nothing"


@dataclass(frozen=True)
class Reach:
    """Which tests run which line, and how long each takes."""

    tests: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """The quickest first. A fault outside functions may be noticed by all tests of a file that names its module, or
        of which one runs it: a test that reads a constant runs no line of it."""
        by_line = self.tests.get(mutant.path, {})
        lines = mutant.lines if mutant.function else by_line
        found = set().union(*(by_line.get(line, set()) for line in lines))
        if not mutant.function:
            met = set(map(_file_of, found))
            module = mutant.path.removesuffix(".py").replace("/", ".")
            met |= {file for file in map(_file_of, self.seconds) if module in (PROJECT / file).read_text()}
            found = {name for name in self.seconds if _file_of(name) in met}
        return sorted(found & self.seconds.keys(), key=self.seconds.__getitem__)


class Mutation:
    """The pytest plugin: instead of running the tests once, runs them for each fault."""

    def __init__(self, files: list[str], most: int | None) -> None:
        self.files, self.most, self.outcome, self._failed = files, most, Outcome(), False
        self._noticed_in: Counter[str] = Counter()  # file of tests -> faults
        self._noticed_by = multiprocessing.Array("c", 1000, lock=False)  # a child tells the name of its test

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """The same examples each time, and no search for the smallest one."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutation", phases=phases, derandomize=True, deadline=None)
        hypothesis.settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        reach = self._reach()
        print(f"{len(self._items)} tests, {sum(reach.seconds.values()):.0f} s; {len(self.files)} files", flush=True)
        self._functions = _functions()
        for file in self.files:
            for mutant in mutants(file, (PROJECT / file).read_text(), self.most):
                if (mutant.before, mutant.after) in EQUIVALENT.get(file, {}):
                    self.outcome.equivalent += 1
                else:
                    self._try(mutant, reach)
            print(f"{file}: {self.outcome.score} so far", flush=True)
        return True

    def _reach(self) -> Reach:
        """In a child, so that caches are as empty for each fault as they are now."""
        with tempfile.NamedTemporaryFile() as file:
            status = _in_child(lambda: self._measure(Path(file.name)), limit_s=3600)
            assert status == SURVIVED, "the tests could not be run without a fault"
            tests, seconds = json.loads(Path(file.name).read_text())
        lines = {path: {int(line): set(names) for line, names in found.items()} for path, found in tests.items()}
        return Reach(lines, seconds)

    def _measure(self, to: Path) -> int:
        measuring = coverage.Coverage(
            data_file=None, config_file=False, include=[str(PROJECT / file) for file in self.files]
        )
        seconds: dict[str, float] = {}
        measuring.start()
        for name in self._items:
            measuring.switch_context(name)
            began, self._failed = time.monotonic(), False
            self._run([name])
            if not self._failed:  # a test that fails without a fault says nothing about one
                seconds[name] = time.monotonic() - began
        measuring.stop()
        data, found = measuring.get_data(), {}
        for path in data.measured_files():
            found[str(Path(path).relative_to(PROJECT))] = data.contexts_by_lineno(path)
        to.write_text(json.dumps([found, seconds]))
        return SURVIVED

    def _try(self, mutant: Mutant, reach: Reach) -> None:
        tests = sorted(reach.of(mutant), key=lambda name: -self._noticed_in[_file_of(name)])
        if not tests:
            self.outcome.unreached.append(mutant)
            print(f"not reached {mutant}", flush=True)
            return
        limit_s = LEAST_LIMIT_S + 5 * sum(map(reach.seconds.__getitem__, tests))
        status = _in_child(lambda: self._child(mutant, tests), limit_s) if mutant.function else UNFIT
        if status == UNFIT:
            status = _in_fresh_interpreter(mutant, tests, limit_s)
        if status != SURVIVED:
            self.outcome.noticed += 1
            self._noticed_in[_file_of(self._noticed_by.value.decode())] += 1
        else:
            self.outcome.survivors.append(mutant)
            print(f"survived    {mutant}", flush=True)

    def _child(self, mutant: Mutant, tests: list[str]) -> int:
        tree = mutated((PROJECT / mutant.path).read_text(), mutant.number)
        code = _codes(compile(tree, str(PROJECT / mutant.path), "exec")).get((mutant.function, mutant.function_line))
        functions = self._functions[str(PROJECT / mutant.path), mutant.function, mutant.function_line]
        if code is None or not functions or any(one.__code__.co_freevars != code.co_freevars for one in functions):
            return UNFIT
        for function in functions:
            function.__code__ = code
        for name in tests:
            self._failed = False
            self._run([name])
            if self._failed:
                self._noticed_by.value = name.encode()[:1000]
                return NOTICED
        return SURVIVED

    def _run(self, names: list[str]) -> None:
        for name in names:
            item = self._items[name]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _functions() -> dict[tuple[str, str, int], list[FunctionType]]:
    """Every function that is alive, by file, name and line. Afterwards all objects are frozen, so that children share
    them."""
    gc.unfreeze()  # tests/conftest.py froze what collecting made, and frozen objects are not listed
    found = defaultdict(list)
    for one in gc.get_objects():
        if type(one) is FunctionType:  # isinstance would wake lazy objects
            found[one.__code__.co_filename, one.__code__.co_qualname, one.__code__.co_firstlineno].append(one)
    gc.freeze()
    return found


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """The functions of a compiled module, by name and line."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return {(one.co_qualname, one.co_firstlineno): one for one in inner} | functools.reduce(
        lambda found, one: found | _codes(one), inner, {}
    )


def _in_child(act: Callable[[], int], limit_s: float) -> int | None:
    """The status that `act` returned in a forked process; None: it did not end in time, or died."""
    pid = os.fork()
    if pid == 0:
        status, told = NOTICED, os.dup(2)
        try:
            os.setsid()
            silence = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(silence, fd)
            status = act()
        except BaseException:  # pytest itself gave up: no test is known to have noticed anything
            os.write(told, traceback.format_exc().encode())
        finally:
            os._exit(status)
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _in_fresh_interpreter(mutant: Mutant, tests: list[str], limit_s: float) -> int:
    argv = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.bench.mutated_import"]
    env = {**os.environ, "MUTANT": f"{mutant.path}:{mutant.number}"}
    try:
        done = subprocess.run([*argv, *tests], cwd=PROJECT, env=env, timeout=limit_s + 60, capture_output=True)
    except subprocess.TimeoutExpired:
        return NOTICED
    return SURVIVED if done.returncode == 0 else NOTICED


def files_below(place: str) -> Iterator[str]:
    path = PROJECT / place
    assert path.exists(), f"{place} is not there. Nothing was run."
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        yield str(file.relative_to(PROJECT))


def jobs(places: list[str], tests: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Files and the tests for them."""
    if tests:
        yield [file for place in places for file in files_below(place)], tests
        return
    for folder, theirs in CORE.items():
        core = list(files_below(folder))
        wanted = [file for place in places for file in files_below(place)] if places else core
        if files := [file for file in core if file in wanted]:
            yield files, theirs


def _in_own_process(files: list[str], tests: list[str], most: int) -> None:
    argv = [sys.executable, "-m", "tests.bench.mutation", *files, "--tests", *tests, "--most", str(most)]
    subprocess.run(argv, cwd=PROJECT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="*")
    parser.add_argument("--tests", nargs="+", default=[])
    parser.add_argument("--most", type=int, default=40, help="faults of each file, 0: all")
    asked = parser.parse_args()
    planned = list(jobs(asked.places, asked.tests))
    if not planned:
        parser.error("These files are not in the judging core: name their tests with --tests.")
    if len(planned) > 1:  # a process for each: pytest cannot be run twice in one
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda job: _in_own_process(*job, most=asked.most), planned))
        return
    [(files, tests)] = planned
    plugin = Mutation(files, asked.most or None)
    quiet = ["-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-o", "timeout=0"]
    if status := pytest.main([*tests, *quiet, "-W", "ignore::pytest.PytestAssertRewriteWarning"], [plugin]):
        sys.exit(status)  # the tests could not be collected: there is no score
    print(f"{os.path.commonpath(files)}: {plugin.outcome.score}")


if __name__ == "__main__":
    main()
