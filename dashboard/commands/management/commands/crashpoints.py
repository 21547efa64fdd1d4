"""Crash points outside of an experiment: `manage.py crashpoints histories | replica [--build NAME]`.

Exit status: 0 all states recover right, 1 some do not, 2 refused or failed.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings

from dashboard.commands.subcommands import Subcommands
from workers.crash import dialects
from workers.crash.chain import PORTS, Begun
from workers.crash.kinds import CRASH_KINDS
from workers.crash.made import Made
from workers.crash.points.exhaust import Exhausted, exhaust
from workers.crash.points.histories import HISTORIES, History
from workers.crash.points.of_replica import ReplicaPoints, ReplicaState, replica_points
from workers.crash.setup_and_result import Timeline, TrialSetup
from workers.errors import PlanError
from workers.sandbox import builds
from workers.sandbox.builds import Build

WRONG = 1
KIND = "every-crash-point"
MOST_SECONDS = 60
PRIMARY = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}  # it is not crashed
DURABLE = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}


class Command(Subcommands):
    help = "Recover every state of small histories, or crash points of an applying replica, in sandboxes."
    requires_system_checks = ()  # needs neither database nor Redis
    stopped = "Everything that was made is removed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        histories = commands.add_parser("histories", help="all states of small histories")
        known = ", ".join(history.title for history in HISTORIES)
        histories.add_argument("--only", action="append", default=[], metavar="TITLE", help=f"of: {known}")
        replica = commands.add_parser("replica", help="crash points of a replica while it applies")
        replica.add_argument("--points", type=int, default=30, metavar="N", help="how many are tried")
        replica.add_argument("--seconds", type=float, default=1.5, metavar="S", help="of load on the primary")
        replica.add_argument("--seed", type=int, default=1, metavar="N", help="of the choice")
        for one in (histories, replica):
            one.add_argument("--build", default="system-mariadb", metavar="NAME", help="see manage.py build list")
            one.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of the crashed server")

    def _histories(self, *, build: str, only: list[str], set: list[str], **_: object) -> None:
        chosen, server, known = _chosen(only), builds.find(build), DURABLE | _settings(set)
        found = []
        for history in chosen:
            with Made() as made:
                found.append(exhaust(_begun(made, server, KIND, known), history))
            self._tell(found[-1])
        self.stdout.write(_summary(found, server))
        if any(one.wrong for one in found):
            sys.exit(WRONG)

    def _replica(self, *, build: str, points: int, seconds: float, seed: int, set: list[str], **_: object) -> None:
        if points < 1 or not 0.2 <= seconds <= MOST_SECONDS:
            raise PlanError(f"--points is at least 1, and --seconds is 0.2 to {MOST_SECONDS}.")
        server, known = builds.find(build), DURABLE | _settings(set)
        primary = {**PRIMARY, **dialects.of(server).of_source}
        with Made() as made:
            found = replica_points(_begun(made, server, "process-kill", primary, seconds, seed), known, points)
        for one in found.tried:
            if not one.is_right:
                self.stdout.write(f"after {one.moment} events, {one.keeps} ({one.way}): {_outcome(one)}")
        self.stdout.write(_summary_of_replica(found, server))
        if not all(one.is_right for one in found.tried):
            sys.exit(WRONG)

    def _tell(self, one: Exhausted) -> None:
        self.stdout.write(f"{one.history.title}: {one.states} states, {len(one.wrong)} wrong")
        for wrong in one.wrong:
            moment, keeps = wrong.state.point.moment, wrong.state.point.keeps
            self.stdout.write(f"    after {moment} events, {keeps}; under way: {wrong.under_way}\n        {wrong.says}")
        self.stdout.flush()


def _chosen(only: list[str]) -> list[History]:
    known = {history.title: history for history in HISTORIES}
    if unknown := [title for title in only if title not in known]:
        raise PlanError(f"There is no history {unknown[0]!r}.", f"Known: {', '.join(known)}.")
    return [known[title] for title in only or known]


def _settings(given: list[str]) -> dict[str, str]:
    """`Sandbox.create` refuses what is no setting."""
    if wrong := [one for one in given if "=" not in one]:
        raise PlanError(f"--set {wrong[0]!r} is not NAME=VALUE.", "Write for example --set sync_binlog=0.")
    return dict(one.split("=", 1) for one in given)


def _begun(made: Made, build: Build, kind: str, known: dict[str, str], load_s: float = 2.0, seed: int = 1) -> Begun:
    if why := CRASH_KINDS[KIND].missing():
        raise PlanError("Crash points are not available on this host.", why)
    setup = TrialSetup(
        root=Path(settings.SANDBOX_ROOT),
        name="crash points",
        settings=known,
        seed=seed,
        load_s=load_s,
        user=settings.SANDBOX_USER,
        build=build,
        kind=kind,
    )
    timeline = Timeline(lambda step: None, lambda: False)
    return Begun(setup=setup, kind=CRASH_KINDS[kind], settings=known, ports=PORTS, made=made, timeline=timeline)


def _summary(found: list[Exhausted], build: Build) -> str:
    states, wrong = sum(one.states for one in found), sum(len(one.wrong) for one in found)
    histories = "1 history" if len(found) == 1 else f"{len(found)} histories"
    where = f"on {build.key} ({build.version_text})"
    if not wrong:
        return f"All {states} states of {histories} recover right {where}."
    return f"{wrong} of {states} states of {histories} recover wrong {where}."


def _outcome(one: ReplicaState) -> str:
    if one.refused or one.seen is None:
        return f"the replica does not start: {one.refused}"
    if one.differs:
        return f"it caught up without an error, and {one.seen.different_rows} rows differ from the primary's"
    return f"{one.seen.state}: {one.seen.error}"


def _summary_of_replica(found: ReplicaPoints, build: Build) -> str:
    where = f"of a replica on {build.key} ({build.version_text}) that applied {found.acknowledged} transactions"
    wrong = sum(not one.is_right for one in found.tried)
    if not wrong:
        right = f"At all {len(found.tried)} crash points {where} it caught up, and all rows agreed."
        return f"{right} {found.left} more were not tried."
    silent = sum(one.differs for one in found.tried)
    return f"Wrong at {wrong} of {len(found.tried)} crash points {where}; rows differ without an error at {silent}."
