"""Runs the checklist; see scripts/release."""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from release import kept, report
from release.step import PROJECT, Step, git
from release.steps import STEPS, chaos
from release.version import version

ENDS = "Commit docs/releases/v{0}.md, then: git tag --annotate v{0} --message 'Durascope {0}' && git push origin v{0}"


def main() -> int:
    asked = _arguments()
    now = version()
    place = kept.folder(now)
    if asked.list:
        _list(place)
        return 0
    file = PROJECT / f"docs/releases/v{now}.md"
    _as_committed(file)
    steps: dict[str, Step] = STEPS | {"chaos": replace(STEPS["chaos"], run=partial(chaos, minutes=asked.chaos_minutes))}
    for name in asked.steps or steps:
        if not asked.steps and not steps[name].always and _is_done(place, name, asked.quick):
            print(f"{name}: done", flush=True)
            continue
        print(f"{name}: {steps[name].says} ...", flush=True)
        result = kept.run(place, name, steps[name], asked.quick)
        print("\n".join(f"  {line}" for line in (*result.figures, result.problem) if line), flush=True)
        if not result.passed:
            print(f"Nothing was released. After the repair the next call goes on with {name}.", file=sys.stderr)
            return 1
    file.parent.mkdir(exist_ok=True)
    file.write_text(report.text(now, {name: kept.read(place, name) for name in STEPS}))
    left = [name for name in STEPS if not _is_done(place, name, quick=False)]
    print(f"docs/releases/v{now}.md is written.")
    print(f"Not measured in full: {', '.join(left)}." if left else ENDS.format(now))
    return 0


def _as_committed(report: Path) -> None:
    """Without what the last call wrote: a package is made of a commit, and the report is written anew at the end."""
    if git("ls-files", str(report)):
        git("checkout", "--", str(report))
    else:
        report.unlink(missing_ok=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/release", description="The checklist of a release.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="only these steps, also if they are done")
    parser.add_argument("--quick", action="store_true", help="tries each step in its shortest form")
    parser.add_argument("--list", action="store_true", help="the steps, which are done, and how long each took")
    parser.add_argument(
        "--chaos-minutes", type=float, default=0, metavar="M", help="the chaos lasts so long, not until 200 faults"
    )
    asked = parser.parse_args()
    if unknown := set(asked.steps) - STEPS.keys():
        parser.error(f"There is no step {sorted(unknown)[0]!r}. Known: {', '.join(STEPS)}.")
    return asked


def _is_done(place: Path, name: str, quick: bool) -> bool:
    result = kept.read(place, name)
    return bool(result and result.passed and result.counts and (quick or not result.quick))


def _list(place: Path) -> None:
    for name, step in STEPS.items():
        result, done = kept.read(place, name), _is_done(place, name, quick=False)
        took = f"{result.took_s:,.0f} s{', quick' if result.quick else ''}" if result else "-"
        print(f"{name:<12}{'done' if done else 'not done':<10}{took:>16}  {step.says}")


if __name__ == "__main__":
    sys.exit(main())
