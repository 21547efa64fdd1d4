"""The checklist of a release (scripts/release): what stops it, what it finds in outputs, and what its report says."""

import json
import sys
from dataclasses import replace

import pytest

from dashboard.installation.home import PROJECT

sys.path.insert(0, str(PROJECT / "deploy"))
from release import __main__ as program
from release import kept, report, speed, step, steps
from release.step import Failed, Found, Step, lines, printed, python
from release.version import why_not

CHANGES = "# Changelog\n## [Unreleased]\n\n## [0.2.0] - 2026-11-24\n\n## [0.1.0] - 2026-01-01\n"
NONE = dict.fromkeys(steps.STEPS)
COVERAGE = """\
mean: 3 repeats,  0 % between them, AR(1) 0.0           95.23 % ±0.66
mean: 5 repeats, 10 % between them, AR(1) 0.9           {low} % ±0.66
share of 30 crashes: 95.4 to 100.0 %, 97.3 % over all shares (counted, not drawn)
A/A: 3 repeats, 1 comparisons, AR(1) 0.0                 5.00 % ±0.66
"""


@pytest.mark.parametrize(
    ("version", "changelog", "tags", "says"),
    [
        ("0.2.0", CHANGES, ["v0.1.0"], ""),
        ("0.3.0", CHANGES, [], "no heading"),
        ("0.1.0", CHANGES, [], "no heading"),
        ("0.2.0", CHANGES.replace(" - 2026-11-24", ""), [], "no date"),
        ("0.2.0", CHANGES, ["v0.2.0"], "exists"),
        ("0.2.0", CHANGES.replace("]\n\n", "]\n### Added\n- More.\n\n"), [], "below '## [Unreleased]'"),
    ],
)
def test_a_version_is_released_once_and_with_its_changes(version, changelog, tags, says):
    found = why_not(version, changelog, tags)
    assert says in found and bool(says) == bool(found)


@pytest.mark.parametrize(
    ("low", "crashes", "stops"), [("94.80", "95.4", False), ("80.00", "95.4", True), ("94.80", "80.4", True)]
)
def test_intervals_that_miss_the_true_value_stop_the_release(low, crashes, stops):
    """Both controls."""
    found = steps.judged_intervals(COVERAGE.format(low=low).replace("95.4", crashes))
    assert bool(found.problem) == stops
    assert f"mean: {float(low):.1f} to 95.2 % of 2 cases" in found.figures


@pytest.mark.parametrize(("noticed", "stops"), [("95.0", False), ("94.9", True)])
def test_a_folder_whose_faults_go_unnoticed_stops_the_release(noticed, stops):
    early = "workers/a/x.py: 1 of 2 faults noticed: 50.0 %; 0 others change nothing so far\n"
    good = "workers/a: 98 of 98 faults noticed: 100.0 %; 2 others change nothing\n"
    last = f"workers/b: 90 of 95 faults noticed: {noticed} %; 0 others change nothing\n"
    found = steps.judged_mutants(early + good + last)
    assert ("workers/b: 90 of 95" in found.problem) == stops and "workers/a" not in found.problem
    assert len(found.figures) == 2


@pytest.mark.parametrize(("reproduced", "stops"), [(15, False), (14, True)])
def test_published_bugs_that_are_no_longer_found_stop_the_release(reproduced, stops):
    output = f"{reproduced} of 21 published bugs reproduced; not reproduced: X\n9 of 9 controls without the bug\n"
    assert bool(steps.judged_bugs(output, steps.LEAST_FOUND).problem) == stops


def test_a_release_names_the_servers_that_are_not_installed():
    output = "mysql-5.6.14 is not installed. Install it: manage.py build install mysql-5.6.14\n"
    output += "0 of 1 published bugs reproduced; not reproduced: MySQL #72635\n0 of 1 controls without the bug\n"
    assert steps.judged_bugs(output, 1).problem.endswith(
        "First install their servers: manage.py build install mysql-5.6.14."
    )


SPEED = [
    "witness, now: 0/0   16 clients:    19000 commits/s,   21 us of CPU each",
    "trial, now: process-kill  1,1: 1.28 s beside the load (1.1 to 1.6)",
    "trial, now: power-loss    0,0: 0.91 s beside the load (0.8 to 1.0)",
    "binlog, now: mariadb-binlog      12.78 s    1.94 times ours",
    "overhead, now: fsync     8 threads: ratio 0.991 (95 %: 0.973 to 1.010; 6 pairs)",
    "overhead, now: CPU       8 threads: ratio 0.980 (95 %: 0.961 to 0.999; 6 pairs)",
]


@pytest.mark.parametrize(
    ("good", "slow"),
    [("19000", "2804"), ("1.28", "7.28"), ("0.91", "3.10"), ("1.94", "0.94"), ("1.010", "0.980"), ("0.999", "0.960")],
)
def test_a_figure_worse_than_its_limit_stops_the_release(good, slow):
    assert speed.why_too_slow(SPEED) == ""
    slowed = [line.replace(good, slow) for line in SPEED]
    assert slow in speed.why_too_slow(slowed)


def test_a_bench_without_its_figure_stops_the_release():
    assert "no figure for" in speed.why_too_slow(SPEED[1:])


CHAOS = {"seed": 1, "database": "SQLite", "workers": 1, "rounds": 53, "by_kind": {"disk full": 1, "redis killed": 199}}


@pytest.mark.parametrize(
    ("faults", "seconds", "stops"),
    [(200, 3000, False), (199, 3599, True), (50, 3600, False), (49, 7200, True), (2, 75, True)],
)
def test_a_chaos_that_ended_early_stops_the_release_and_tells_how_long_it_was(faults, seconds, stops):
    """As it is printed: after lines on each round."""
    report = {**CHAOS, "seconds": seconds, "faults": faults, "broken": [], "controls_unseen": []}
    output = f"75 s, 2 faults, {{sandbox}}: all hold\n{json.dumps(report, indent=1)}\n"
    found = steps.judged_chaos(output, quick=False)
    assert bool(found.problem) == stops
    assert found.figures[0] == f"{faults} faults of 2 kinds in 53 rounds, {seconds / 60:.0f} min"
    assert steps.judged_chaos(output, quick=True).problem == ""
    with pytest.raises(Failed, match="no report"):
        steps.judged_chaos("75 s, 2 faults\n", quick=False)


@pytest.mark.parametrize(("minutes", "asked"), [(0, "--faults 200"), (60, "--faults 1000000 --minutes 60")])
def test_the_minutes_of_the_chaos_can_be_given(monkeypatch, tmp_path, minutes, asked):
    ran = []
    monkeypatch.setattr(steps, "printed", lambda command, log: ran.append(" ".join(command)) or "")
    with pytest.raises(Failed):
        steps.chaos(False, tmp_path / "log", minutes)
    assert f"tests.bench.chaos {asked}" in ran[0]


def test_an_option_file_that_is_read_wrong_stops_the_release():
    figures = "MySQL 8.0.33 (2023): 2,000 files, 9,000 settings compared, 3 left open, 0 files with a disagreement"
    found = steps.judged_option_files(f"{figures}\n")
    assert (found.figures, found.problem) == ([figures], "")
    wrong = steps.judged_option_files(f"  seed 7: sync_binlog: server '0', ours '1'\n{figures}\n")
    assert "1 option files" in wrong.problem and "seed 7" in wrong.problem
    with pytest.raises(Failed, match="no figure"):
        steps.judged_option_files("")


def test_a_command_that_fails_or_tells_no_figure_stops_its_step(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(Failed, match="status 3"):
        printed(python("-c", "print('so far'); raise SystemExit(3)"), log)
    assert "so far" in log.read_text()
    with pytest.raises(Failed, match="no figure"):
        lines("passed", "nothing here\n")


def test_the_report_says_what_was_not_measured_and_what_failed(tmp_path):
    finds = Step("says", lambda quick, log: Found(["3 of 4 found"], "One is missing."))
    result = kept.run(tmp_path, "chaos", finds, quick=True)
    text = report.text("1.0", NONE | {"chaos": result})
    assert text.count("**Not measured.**") == len(steps.STEPS) - 1
    assert "3 of 4 found" in text and "**Not passed.** One is missing." in text and "only tries the step" in text


def test_a_step_that_cannot_be_run_is_kept_as_failed(tmp_path):
    def run(quick, log):
        raise Failed("It ended.")

    result = kept.run(tmp_path, "build", Step("says", run), quick=False)
    assert (result.passed, result.problem, result.figures) == (False, "It ended.", [])
    assert json.loads((tmp_path / "build.json").read_text())["problem"] == "It ended."
    assert kept.read(tmp_path, "build") == result and kept.read(tmp_path, "chaos") is None


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository with one commit, in the place of this one."""
    monkeypatch.setattr(step, "PROJECT", tmp_path / "tree")
    step.PROJECT.mkdir()
    for arguments in (["init", "--quiet"], ["config", "user.name", "one"], ["config", "user.email", "one@x.example"]):
        step.git(*arguments)
    (step.PROJECT / "program.py").write_text("1")
    committed("begin")
    return step.PROJECT


def committed(says):
    step.git("add", "--all")
    step.git("commit", "--quiet", "--no-verify", "--message", says)


def nothing(quick, log):
    return Found([])


def test_a_result_counts_until_the_program_changes(tree, tmp_path):
    assert kept.run(tmp_path, "build", Step("says", nothing), quick=False).counts
    (tree / "docs").mkdir()
    (tree / "docs/new.md").write_text("a document")
    committed("a document")
    result = kept.read(tmp_path, "build")
    assert result.counts
    (tree / "program.py").write_text("2")
    committed("the program")
    assert not result.counts and "The program changed since." in report.text("1.0", NONE | {"build": result})


@pytest.mark.parametrize(
    ("document", "chaos", "build"),
    [
        ("docs/new.md", True, False),
        ("docs/releases/v1.md", True, True),
        ("README.md", True, False),
        ("x/README.md", False, False),
        ("tests/unit/deep/test_one.py", True, False),
        ("tests/bench/chaos.py", False, False),
    ],
)
def test_a_step_does_not_count_when_a_document_or_test_changes_that_it_reads(tree, tmp_path, document, chaos, build):
    """A document beside the program is a part of it."""
    for name in ("chaos", "build"):
        kept.run(tmp_path, name, replace(steps.STEPS[name], run=nothing), quick=False)
    (tree / document).parent.mkdir(parents=True, exist_ok=True)
    (tree / document).write_text("changed")
    committed("a change")
    assert (kept.read(tmp_path, "chaos").counts, kept.read(tmp_path, "build").counts) == (chaos, build)


@pytest.mark.parametrize("when", ["before", "meanwhile", "committed meanwhile"])
def test_a_result_of_another_program_than_the_commit_does_not_count(tree, tmp_path, when):
    def change(*_):
        (tree / "program.py").write_text("2")
        if when == "committed meanwhile":
            committed("the program")
        return Found([])

    if when == "before":
        change()
    result = kept.run(tmp_path, "build", Step("says", nothing if when == "before" else change), quick=False)
    assert result.passed and not result.counts
    assert "It ran while the program was being changed." in report.text("1.0", NONE | {"build": result})


def test_a_step_that_is_interrupted_is_not_done(tree, tmp_path):
    """Although it passed before."""
    kept.run(tmp_path, "build", Step("says", nothing), quick=False)

    def interrupted(quick, log):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.run(tmp_path, "build", Step("says", interrupted), quick=False)
    assert kept.read(tmp_path, "build") is None


@pytest.fixture
def release(tree, monkeypatch, capsys):
    """The program with three steps: exit status, what it printed, and the steps that ran."""

    def run(*arguments, fails=""):
        ran = []

        def does(name):
            return lambda quick, log: (ran.append(name), Found([], "It is broken." if name == fails else ""))[1]

        names = ("tree", "chaos", "doors")
        for known in (program, report):
            monkeypatch.setattr(known, "STEPS", {one: Step(one, does(one), always=one == "tree") for one in names})
        monkeypatch.setattr(program, "chaos", lambda quick, log, minutes: does("chaos")(quick, log))
        monkeypatch.setattr(program, "PROJECT", tree)
        monkeypatch.setattr(program, "version", lambda: "1.0")
        monkeypatch.setattr(kept, "PROJECT", tree)
        monkeypatch.setattr(sys, "argv", ["release", *arguments])
        status = program.main()
        return status, capsys.readouterr().out, ran

    (tree / ".gitignore").write_text(".release\n")
    (tree / "docs").mkdir()
    committed("as here")
    return run


def test_a_release_goes_on_after_a_failure_and_names_the_tag_only_when_all_passed(release, tree):
    status, told, ran = release(fails="doors")
    assert (status, ran) == (1, ["tree", "chaos", "doors"]) and "git tag" not in told
    assert not (tree / "docs/releases/v1.0.md").exists()
    status, told, ran = release()
    assert (status, ran) == (0, ["tree", "doors"]), "what passed is not repeated; the tree is looked at each time"
    assert "git tag --annotate v1.0" in told and "Not measured" not in (tree / "docs/releases/v1.0.md").read_text()
    assert [line.split()[:3] for line in release("--list")[1].splitlines()][1] == ["chaos", "done", "0"]


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_call_begins_without_the_report_of_the_last_one(release, tree, is_committed):
    """The package is refused while the tree has changes."""
    release("chaos")
    if is_committed:
        committed("the report")
    (tree / "docs/releases/v1.0.md").write_text("of another call")
    status, _, ran = release("tree", fails="tree")
    assert (status, ran, step.git("status", "--porcelain")) == (1, ["tree"], "")


@pytest.mark.parametrize("arguments", [["--quick"], ["chaos"]])
def test_steps_that_were_only_tried_or_left_out_name_no_tag(release, arguments):
    status, told, _ = release(*arguments)
    assert status == 0 and "git tag" not in told and "Not measured in full: " in told
