"""docs/releases/vVERSION.md: the figures of a release. A step that was not run is written as not measured."""

from collections.abc import Iterator, Mapping

from release import kept
from release.steps import STEPS

HEAD = """# Release {version}
Written by `scripts/release`. Each figure was measured at the commit beside it; between these commits and the release
only documents and tests that a step does not run changed, unless a line says otherwise. The load is that of the
machine: 2 processors are busy at 2, and times that were measured at a higher load show more than the program costs.
"""


def text(version: str, results: Mapping[str, kept.Result | None]) -> str:
    """`results`: of each step, None for one that was not run."""
    return "\n".join(
        [HEAD.format(version=version), *(line for name in STEPS for line in _chapter(name, results[name]))]
    )


def _chapter(name: str, result: kept.Result | None) -> Iterator[str]:
    says = STEPS[name].says
    yield f"## {name}"
    yield f"{says[0].upper()}{says[1:]}.\n"
    yield from _told(result) if result else ("**Not measured.**\n",)


def _told(result: kept.Result) -> Iterator[str]:
    yield "```text"
    yield from result.figures or ["no figure"]
    yield "```"
    outcome = "Passed" if result.passed else f"**Not passed.** {result.problem} It was measured"
    size = ", in the short form that only tries the step" if result.quick else ""
    changed = "The program changed since." if result.of_commit else "It ran while the program was being changed."
    older = "" if result.counts else f" {changed}"
    took = f"in {result.took_s:,.0f} s, load {result.load:g}"
    yield f"{outcome}{size} at {result.commit[:12]}, {result.at}, {took}.{older}\n"
