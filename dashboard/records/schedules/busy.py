"""The hosts of this site that experiments use or wait for, read once in a round: a thousand schedules may be due at the
same minute. What another process starts meanwhile is not seen here; the host leases keep two experiments apart."""

from collections.abc import Iterable
from functools import cached_property

from django.conf import settings

from dashboard.records.experiments import leases
from dashboard.records.experiments.at_site import at_site
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.servers.models import Server


class Busy:
    def why(self, servers: Iterable[Server]) -> str:
        """The other experiment that uses or waits for a host of these servers; "" if there is none."""
        wanted = set().union(*map(leases.hosts_of, servers))
        if other := next((self._users[name] for name in sorted(wanted) if name in self._users), None):
            return f"The server's host was busy: {other} was {other.get_state_display()} there."
        if lease := leases.lease_on(wanted):
            return f"The server's host was busy: the changes of {lease.experiment} were being restored."
        return ""

    def with_begun(self, experiment: Experiment | None) -> Experiment | None:
        """From now on the hosts of this experiment are busy too."""
        if experiment:
            self._users.update(_used([experiment]))
        return experiment

    @cached_property
    def _users(self) -> dict[str, Experiment]:
        under_way = Experiment.objects.filter(state__in=UNDER_WAY).order_by("-pk")
        return _used(at_site(settings.SITE, under_way).defer("analysis", "claims", "outcomes"))


def _used(experiments: Iterable[Experiment]) -> dict[str, Experiment]:
    """Host -> the experiment that uses it; of several the last one here."""
    targets = {one: one.server_ids for one in experiments}
    wanted = {pk for ids in targets.values() for pk in ids}
    here = Server.objects.filter(pk__in=wanted, site=settings.SITE)  # another site's names differ
    hosts = {server.pk: leases.hosts_of(server) for server in here}
    return {name: one for one, ids in targets.items() for pk in ids for name in hosts.get(pk, ())}
