"""The checklist. A new step is a function and one line in STEPS."""

import json
import re
import shutil
import tempfile
from pathlib import Path

from release.speed import measure_speed
from release.step import PROJECT, Failed, Found, Step, lines, printed, python
from release.version import check_tree, check_version

CORE = ("workers/crash", "workers/analysis", "workers/servers", "dashboard/findings/crash")
RECIPES = (
    "known-bugs-server", "known-bugs-replica", "known-bugs-failover", "known-bugs-restart", "known-bugs-cluster",
    "known-bugs-updates", "known-bugs-group",
)  # fmt: skip
FAULTS = 200  # of the chaos, or
LEAST_FAULTS, LEAST_MINUTES = 50, 60.0  # both of these
LEAST_COVERAGE = 92.0  # per cent, of an interval that is called a 95 % interval
LEAST_NOTICED = 95.0  # per cent of the faults in each folder of the judging core
LEAST_FOUND = 15  # published bugs of the recipes known-bugs-*, as docs/research/known-bugs.md counts them
SHARE = re.compile(r"^(mean|ratio, paired|ratio, unpaired|A/A): .* (\d+\.\d+) % ±", re.MULTILINE)
OF_CRASHES = re.compile(r"^(share of \d+ crashes): (\d+\.\d+) to", re.MULTILINE)
NOTICED = re.compile(r"^(\S+: \d+ of \d+ faults noticed): (\d+\.\d+) %; \d+ others change nothing$", re.MULTILINE)
INSTALL = re.compile(r"Install it: (manage\.py build install \S+)")
REPRODUCED = re.compile(r"^(\d+) of \d+ published bugs reproduced", re.MULTILINE)


def build(quick: bool, log: Path) -> Found:
    command = ("scripts/test", "tests/unit/test_version.py") if quick else (".ci/run",)
    return Found(lines(r"^\d+ passed|\d+ failed|^=+ .*\d+ passed", printed(command, log)))


def chaos(quick: bool, log: Path, minutes: float = 0) -> Found:
    """For so long; 0: until FAULTS were injected, in 90 minutes at most."""
    wanted = ("--faults", "2", "--short") if quick else ("--faults", str(FAULTS), "--seed", "1")
    for_long = ("--faults", "1000000", "--minutes", f"{minutes:g}", "--seed", "1")
    arguments = for_long if minutes and not quick else wanted
    return judged_chaos(printed(python("-m", "tests.bench.chaos", *arguments), log), quick)


def judged_chaos(output: str, quick: bool) -> Found:
    told = re.search(r"^\{\n.*?^\}$", output, re.MULTILINE | re.DOTALL)
    if not told:
        raise Failed("The chaos printed no report.")
    said = json.loads(told[0])
    minutes = said["seconds"] / 60
    figures = [
        f"{said['faults']} faults of {len(said['by_kind'])} kinds in {said['rounds']} rounds, {minutes:.0f} min",
        f"{said['database']}, workers: {said['workers']}, seed {said['seed']}",
        f"rounds with a broken invariant: {len(said['broken'])}; controls not noticed: {len(said['controls_unseen'])}",
    ]
    long = minutes >= LEAST_MINUTES and said["faults"] >= LEAST_FAULTS
    short = f"A release needs {FAULTS} faults, or {LEAST_FAULTS} in {LEAST_MINUTES:g} minutes or more."
    return Found(figures, "" if quick or long or said["faults"] >= FAULTS else short)


def intervals(quick: bool, log: Path) -> Found:
    return judged_intervals(printed(python("tests/bench/coverage.py", "1000" if quick else "40000"), log))


def judged_intervals(output: str) -> Found:
    kinds: dict[str, list[float]] = {}
    for kind, share in SHARE.findall(output):
        kinds.setdefault(kind, []).append(float(share))
    told = [f"{kind}: {min(found):.1f} to {max(found):.1f} % of {len(found)} cases" for kind, found in kinds.items()]
    low = [kind for kind, found in kinds.items() if kind != "A/A" and min(found) < LEAST_COVERAGE]
    low += [kind for kind, share in OF_CRASHES.findall(output) if float(share) < LEAST_COVERAGE]
    problem = f"Intervals hold the true value in less than {LEAST_COVERAGE:g} % ({', '.join(low)})." if low else ""
    return Found([*told, *lines(r"^share of \d+ crashes", output)], problem)


def mutants(quick: bool, log: Path) -> Found:
    places, most = (("workers/crash/verdict.py",), "2") if quick else (CORE, "10")
    output = printed(python("-m", "tests.bench.mutation", *places, "--most", most), log)
    return judged_mutants(output)


def judged_mutants(output: str) -> Found:
    low = [says for says, share in NOTICED.findall(output) if float(share) < LEAST_NOTICED]
    problem = f"The tests notice less than {LEAST_NOTICED:g} %: {'; '.join(low)}." if low else ""
    return Found(lines(r"faults noticed: .*change nothing$", output), problem)


def known_bugs(quick: bool, log: Path) -> Found:
    output = printed(python("-m", "tests.bench.recall", *(RECIPES[:1] if quick else RECIPES)), log)
    return judged_bugs(output, 1 if quick else LEAST_FOUND)


def judged_bugs(output: str, least: int) -> Found:
    found = sum(map(int, REPRODUCED.findall(output)))
    builds = ", ".join(sorted(set(INSTALL.findall(output))))
    first = f" First install their servers: {builds}." if builds else ""
    problem = f"{found} published bugs were reproduced, {least} are known to be.{first}" if found < least else ""
    return Found(lines(r"reproduced|controls", output), problem)


def option_files(quick: bool, log: Path) -> Found:
    """Status 1: a reader and its server disagree, and the output says where."""
    most = ("system-mariadb", "--files", "20") if quick else ()
    return judged_option_files(printed(python("-m", "tests.bench.option_files.compared", *most), log, allowed=(0, 1)))


def judged_option_files(output: str) -> Found:
    wrong = lines(r"^  seed \d+: ", output) if "\n  seed " in f"\n{output}" else []
    problem = f"{len(wrong)} option files are read in another way than by the server: {wrong[0]}." if wrong else ""
    return Found(lines(r" files, [\d,]+ settings compared", output), problem)


def doors(quick: bool, log: Path) -> Found:
    command = ("scripts/test", "tests/unit/test_compose.py") if quick else ("scripts/test", "doors")
    output = printed(command, log)
    skipped = re.search(r"\d+ skipped", output)
    problem = f"{skipped[0]}: see the reasons in the log." if skipped else ""
    return Found(lines(r"\d+ passed", output), problem)


def package(_quick: bool, log: Path) -> Found:
    """Twice: the same commit must give the same bytes. The report has no digest: it is a part of the package."""
    first = _made(log)
    problem = "" if _made(log) == first else "Two packages of one commit differ. Compare them with diffoscope."
    return Found([f"{name}: {len(content):,} bytes" for name, content in first.items()], problem)


def _made(log: Path) -> dict[str, bytes]:
    printed(("scripts/package",), log)
    files = sorted(file for file in (PROJECT / "dist").iterdir() if file.name != "SHA256SUMS")
    return {file.name: file.read_bytes() for file in files}


def documents(_quick: bool, log: Path) -> Found:
    folder = Path(tempfile.mkdtemp(prefix="ds-release-site-"))
    try:
        printed(("scripts/site", str(folder)), log)
        pages = len(list(folder.rglob("*.html")))
    finally:
        shutil.rmtree(folder)
    if not pages:
        raise Failed("scripts/site made no page.")
    words = printed(("bash", "-c", "cat docs/*.md | wc -w"), log).split()[-1]
    return Found([f"{pages} pages without a warning; docs/*.md have {int(words):,} words"])


STEPS: dict[str, Step] = {
    "tree": Step("every change is in a commit", check_tree, has_quick=False, always=True),
    "version": Step(
        "the versions of pyproject.toml and CHANGELOG.md agree, and the tag does not exist yet",
        check_version,
        has_quick=False,
        always=True,
    ),
    "build": Step("all tests (.ci/run)", build, reads_documents=True, runs_tests=True),
    "chaos": Step("faults in a whole installation", chaos),
    "intervals": Step("how often intervals hold the true value, by kind, in simulation", intervals),
    "mutants": Step(
        "small faults in the judging core that the tests notice, at most 10 of each file", mutants, runs_tests=True
    ),
    "known-bugs": Step("published bugs that are found again", known_bugs),
    "option-files": Step("option files, read by five servers and by the audit", option_files),
    "speed": Step("benchmarks, beside those of the release before", measure_speed),
    "doors": Step("installed on a Debian, in containers and by pip; removed again", doors, runs_tests=True),
    "documents": Step("the site of documents", documents, has_quick=False, reads_documents=True),
    "package": Step(
        "wheel, sdist and SBOM, made twice with the same bytes",
        package,
        has_quick=False,
        reads_documents=True,
        runs_tests=True,
    ),
}
