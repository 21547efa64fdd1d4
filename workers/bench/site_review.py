"""Problems of a plan's sites: one worker must reach all servers and meet all needs."""

from collections.abc import Iterator, Mapping, Sequence

from workers.bench.abilities import Abilities
from workers.bench.needs import Needs
from workers.bench.plan import Plan


def apart(sites: Mapping[str, str]) -> str:
    """The refusal of servers (name -> site) on several sites; "" when they share a site."""
    if len(set(sites.values())) < 2:
        return ""
    where = ", ".join(f"{name} is on site {site}" for name, site in sites.items())
    return f"{where}: one worker runs an experiment, and it reaches one site. Make an experiment for each site."


def nobody_can(site: str, lacking: Mapping[str, Sequence[str]]) -> str:
    """The refusal of a plan that no host of a site can run alone. `lacking`: host -> what it lacks."""
    told = "; ".join(f"{host}: {', '.join(what)}" for host, what in sorted(lacking.items()))
    return f"One worker runs a whole experiment, and no worker on site {site} can run this one. {told}."


def ambiguous(name: str, site: str, hosts: Sequence[str]) -> str:
    """The refusal of a server at a socket or a loopback address, where workers run on several hosts."""
    return (
        f"{name} has a local address, and site {site} has workers on {', '.join(hosts)}. Each would reach another "
        "server. Register the server under an address that all of them reach, or give each host its own site."
    )


def unable(plan: Plan, own_builds: Mapping[int, str], site: str, hosts: Mapping[str, Abilities]) -> Iterator[str]:
    """At most one sentence. `hosts`: of the site's living workers; without any, it is checked at the start."""
    needs = Needs.of(plan, own_builds)
    lacking = {host: needs.lacking(able) for host, able in hosts.items()}
    if lacking and all(lacking.values()):
        yield nobody_can(site, lacking)


def too_few(wanted: int, site: str, alive: Sequence[str], host: str = "") -> str:
    """The refusal of a load from more workers than are alive. `alive`: their names; `host`: only its workers count,
    because only they reach a sandbox or a loopback address."""
    where = f"host {host} of site {site}" if host else f"site {site}"
    told = f"{len(alive)} ({', '.join(alive)})" if alive else "none"
    start = "manage.py worker" if site == "local" else f"manage.py worker --site {site}"
    return f"The load needs {wanted} workers. Alive on {where}: {told}. Start more: {start}"
