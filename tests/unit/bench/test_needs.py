"""What a plan needs of a host, and what is refused because nobody has it."""

from dataclasses import replace

import pytest

from workers.bench import recipes
from workers.bench.abilities import Abilities, HostBuild, together
from workers.bench.needs import Candidate, Needs
from workers.bench.plan import PlanTarget
from workers.bench.review import problems

ALL = Abilities(builds={"system-mariadb": HostBuild(), "old": HostBuild()}, disk_missing="")
NO_FUSE = "The kernel has no FUSE."
POOR = Abilities(builds={}, disk_missing=NO_FUSE, crash_missing={"power-loss": NO_FUSE, "lying-disk": NO_FUSE})
SILENT = Abilities()


def plan(*targets, **overrides):
    targets = targets or (PlanTarget(1, "box"),)
    return recipes.load("what-does-safety-cost").plan(list(targets), {"trials": "0", **overrides})


def box(hosts, site="local", **fields):
    known = {"system-mariadb": "mariadb", "old": "mysql"}
    return Candidate("box", is_sandbox=True, site=site, hosts=hosts, build="old", builds=known, **fields)


def test_a_plan_needs_its_sandboxes_builds_and_its_crashes():
    needs = Needs.of(plan(trials="1", kinds="power-loss"), {1: "old"})
    assert needs.builds == {"old"} and "power-loss" in needs.crashes and not needs.device
    assert needs.lacking(ALL) == []
    assert any("build install old" in one for one in needs.lacking(POOR))
    assert any(NO_FUSE in one for one in needs.lacking(POOR))


def test_attached_servers_need_nothing_of_the_host():
    assert Needs.of(plan(PlanTarget(1, "db", is_sandbox=False)), {}).lacking(POOR) == []


def test_an_ability_that_a_worker_does_not_report_counts_as_available():
    assert Needs(frozenset({"old"}), True, frozenset({"power-loss"})).lacking(SILENT) == []


def test_the_abilities_of_two_hosts_together_are_those_of_either():
    both = together([POOR, ALL])
    assert (both.crash_missing, both.disk_missing, [*both.builds]) == ({}, None, ["system-mariadb", "old"])
    assert together([POOR, POOR]).disk_missing == NO_FUSE
    assert together([]) == SILENT and together([SILENT, ALL]).builds is None


@pytest.mark.parametrize(
    ("hosts", "told"),
    [
        ({}, None),
        ({"a": ALL}, None),
        ({"a": POOR, "b": ALL}, None),
        ({"a": POOR, "b": POOR}, "a: it has no old (manage.py build install old); b: it has no old"),
    ],
)
def test_a_plan_is_refused_if_no_single_host_has_all_it_needs(hosts, told):
    said = [one for one in problems(plan(), {1: box(hosts, "west")}) if "no worker on site west" in one]
    assert (told in said[0]) if told else not said


def test_a_plan_whose_needs_are_spread_over_two_hosts_is_refused_with_the_lacks_of_each_host():
    no_disk = replace(ALL, crash_missing=dict.fromkeys(("power-loss", "lying-disk", "graceful-restart"), NO_FUSE))
    no_build = replace(ALL, builds={})
    said = problems(plan(trials="1", kinds="power-loss"), {1: box({"a": no_disk, "b": no_build})})
    assert len(said) == 1 and "a: " in said[0] and NO_FUSE in said[0] and "b: it has no old" in said[0]


def test_servers_of_two_sites_make_no_experiment():
    both = [PlanTarget(1, "box"), PlanTarget(2, "far")]
    far = Candidate("far", is_sandbox=True, site="west", build="old", builds={"old": "mysql"})
    said = problems(plan(*both), {1: box({}), 2: far})
    assert said == [
        "box is on site local, far is on site west: one worker runs an experiment, and it reaches one site. "
        "Make an experiment for each site."
    ]


def test_localhost_is_refused_where_it_means_two_machines():
    server = Candidate("db", is_sandbox=False, site="west", hosts={"a": SILENT, "b": SILENT}, means_its_worker=True)
    target = PlanTarget(1, "db", is_sandbox=False)
    assert any("Each would reach another server" in one for one in problems(plan(target), {1: server}))
    alone = Candidate("db", is_sandbox=False, site="west", hosts={"a": SILENT}, means_its_worker=True)
    assert not any("another server" in one for one in problems(plan(target), {1: alone}))
