"""Why an experiment is queued, and the steps until a stopped one has ended. Page, API and command line ask
`does_now`, which asks `why`.

A held copy of an installation and a missing worker are looked up at each call. Whoever finds another reason stores it
as `Experiment.activity`, where it stays until the next attempt:

    why_not_begin     a worker before it claims the experiment (lifecycle.begin)
    HOST_JUST_TAKEN   the same worker, when another experiment was faster
    for_worker_on     a worker that cannot do it (workers.conducting.assignment)
    for_newer_than    a worker of an older version, while workers are upgraded (the same)
    NO_FREE_THREAD    a worker that measures others (workers.tasks)
    nobody_notified   the process that could not send the task (actions.notify_workers)

No reason is stored if the task went to a worker of another site, which sends it on, or to one that is stopping. A
lost task is sent again after 20 s (workers.upkeep.housekeeping).
"""

from collections.abc import Iterable

from dashboard.records.experiments import leases
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import installation, sites
from dashboard.records.fleet.models import Worker
from dashboard.records.fleet.site_names import LOCAL
from dashboard.records.servers.models import Server
from workers.errors import DurascopeError, NewerPlan

NO_FREE_THREAD = "waiting: the asked worker is measuring other experiments"
HOST_JUST_TAKEN = "waiting: another experiment took the same host at the same moment"


def why(experiment: Experiment, *, needs_worker: bool = True) -> str:
    """The reason in words; "" if it does not wait. `needs_worker` False: the command line measures without a worker."""
    if experiment.state != Experiment.State.QUEUED:
        return ""
    if installation.is_held():
        return installation.WAITS
    if not needs_worker:
        return experiment.activity
    return sites.no_worker_message(experiment.site or LOCAL) or experiment.activity or "waiting for a worker"


def does_now(experiment: Experiment) -> str:
    """Why it waits, or the present step of its worker; "" if it is over."""
    return why(experiment) or experiment.activity


def stopping(experiment: Experiment) -> str:
    """The steps between *Stop experiment* and the end of a running experiment; "" otherwise."""
    if experiment.state != Experiment.State.RUNNING or not experiment.cancel_asked:
        return ""
    if experiment.worker and not experiment.worker.is_alive:
        return (
            f"Stopping: the worker {experiment.worker} does not answer. "
            "Another worker ends the experiment and restores the settings."
        )
    return "Stopping: the worker ends the load, then restores settings and removes what it made. Measurements are kept."


def why_not_begin(hosts: Iterable[str], unrestored: Server | None) -> str:
    """Why a worker on these hosts may not claim it now; "" if it may. `unrestored`: a server that must be restored
    first."""
    if installation.is_held():
        return installation.WAITS
    if busy := leases.lease_on(hosts):
        return f"waiting: {busy.experiment.name} {_does(busy.experiment)}"
    return f"waiting: changes of an ended experiment on {unrestored} are restored first" if unrestored else ""


def for_worker_on(host: str) -> str:
    return f"waiting for the worker on {host}, which can do this"


def for_newer_than(worker: Worker, why: DurascopeError) -> str:
    if isinstance(why, NewerPlan):
        return f"waiting: {why}"
    return f"waiting: the worker {worker} has version {worker.version}, older than the database. Update it"


def nobody_notified(why: str) -> str:
    return f"waiting: the message queue (Redis) {why}; the experiment starts once Redis takes tasks"


def _does(experiment: Experiment) -> str:
    """Why a host is busy: the end of a sentence."""
    if experiment.is_over:
        return "is being restored on the same host"
    worker = experiment.worker
    if worker is None or worker.is_alive:
        return "is running on the same host"
    return f"holds the same host, and its worker {worker} ended. Its settings are restored first"
