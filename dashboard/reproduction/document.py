"""docs/reproduction.md: what the page shows, in Markdown, for those who have no installation before them.

Nothing in it tells a host, a path or an account: texts are cleaned as behind a share link, servers are Server A, B ...
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from dashboard.numbers import UNKNOWN, duration
from dashboard.reproduction.machines import Measured, machines, measured, names, versions
from dashboard.reproduction.newest import Newest
from dashboard.reproduction.pictures import PICTURES, Picture
from dashboard.reproduction.statements import Section, Statement
from dashboard.reproduction.summary import counts, measured_between, of_the_articles, sentence
from dashboard.version import VERSION

HEAD = """# Reproduction: every claim beside its measurement
Written by `manage.py reproduction` from stored results, by the same functions as the page *Claims of the articles*; do
not edit it. Five articles of 2010 to 2015 say what a durable commit costs ([claims.md](claims.md)). Beside each
sentence stands what the newest finished experiment of its recipe measured, whatever came out. How it is judged:
[recipes.md](recipes.md)."""


def document(sections: Sequence[Section], folder: Path, today: datetime) -> str:
    """`folder`: where it will lie, with its pictures in `pictures`."""
    found = experiments(sections)
    met = measured(one.experiment.pk for one in found.values())
    parts = [HEAD, _summary(sections, today), _glance(sections), _machines(met)]
    parts += [_section(one, found, folder) for one in sections]
    parts += [_experiments(found.values(), met)] if found else []
    return "\n\n".join(part for part in parts if part) + "\n"


def experiments(sections: Iterable[Section]) -> dict[str, Newest]:
    """Recipe -> the experiment that its statements rest on."""
    return {one.recipe.key: one.newest for section in sections for one in section.statements if one.newest}


def usable(picture: Picture, found: Newest | None, folder: Path) -> bool:
    """Whether its file is there, and was taken after the experiment ended: an older one shows another result."""
    path = folder / "pictures" / f"{picture.name}.png"
    if found is None or found.experiment.ended_at is None or not path.is_file():
        return False
    return path.stat().st_mtime >= found.experiment.ended_at.timestamp()


def _summary(sections: Sequence[Section], today: datetime) -> str:
    statements = of_the_articles(sections)
    between = " to ".join(f"{at:%Y-%m-%d}" for at in measured_between(statements))
    measured = f" Measured {between}." if between else ""
    return f"**{sentence(counts(statements))}**{measured} Written {today:%Y-%m-%d} by Durascope {VERSION}."


def _glance(sections: Iterable[Section]) -> str:
    rows = []
    for one in sections:
        if one.claim.id:
            n = counts(one.statements)
            link = f"[{one.claim.id}](#{one.claim.id.lower()})"
            rows.append((link, one.claim.says, n.held, n.not_held, n.open, n.unmeasured))
    head = ("claim", "of the articles", "held", "not held", "not decidable", "not measured yet")
    return _table(head, rows)


def _machines(met: Sequence[Measured]) -> str:
    if not met:
        return ""
    tables = [_table(("the machine", ""), machine.items()) for machine in machines(met)]
    under = f"sysbench {', '.join(names(met, 'sysbench'))}. File systems: {', '.join(names(met, 'file system'))}."
    devices = ", ".join(f"`{one}`" for one in names(met, "simulated device"))
    under += f" Simulated devices: {devices}." if devices else ""
    return "\n\n".join(["## Where it was measured", *tables, f"{under} What a profile is: [storage.md](storage.md)."])


def _section(section: Section, found: dict[str, Newest], folder: Path) -> str:
    claim = section.claim
    title = f"## {claim.id}" if claim.id else "## Beyond the articles"
    says = f"*{claim.says}.*" + (f" ({'; '.join(claim.articles)})" if claim.articles else "")
    pictures = [one for one in PICTURES if claim.id == one.claim and usable(one, found.get(one.recipe), folder)]
    rows = [_row(one) for one in section.statements]
    table = _table(("statement", "the article", "measured (95 %)", "outcome", "recipe, size, when, on"), rows)
    why = [f"- {one.says} *Not held.* {one.today}" for one in section.statements if one.today]
    return "\n\n".join([title, says, table, *(["\n".join(why)] if why else []), *map(_picture, pictures)])


def _row(one: Statement) -> tuple[str, ...]:
    """A row for each server where there were several."""
    value = one.value + (f" ({one.interval})" if one.interval else "")
    why = f"<br>Not decidable: {one.why.rstrip('.')}." if one.why else ""
    says = f"{one.says} ({one.server})" if one.server else one.says
    outcome = f"**{one.outcome}**" if one.newest else one.outcome
    return (f"{says}<br>`{one.asks}`{why}", one.article or UNKNOWN, value, outcome, _where(one))


def _where(one: Statement) -> str:
    if one.newest is None:
        return f"`{one.recipe.key}`"
    when = f"{one.measured_at:%Y-%m-%d}" if one.measured_at else ""
    parts = [f"`{one.recipe.key}`", one.newest.experiment.recipe_size, when, one.place]
    return ", ".join(part for part in parts if part)


def _picture(picture: Picture) -> str:
    return f"![{picture.says}](pictures/{picture.name}.png)\n\n{picture.says} Recipe `{picture.recipe}`."


def _experiments(found: Iterable[Newest], met: Sequence[Measured]) -> str:
    head = ("recipe", "size", "ended (UTC)", "took", "repeats", "measured", "servers", "differs from the recipe")
    ordered = sorted(found, key=lambda one: one.experiment.recipe)
    return f"## The experiments\n{_table(head, [_experiment(one, met) for one in ordered])}"


def _experiment(one: Newest, met: Sequence[Measured]) -> tuple[str, ...]:
    experiment, plan = one.experiment, one.experiment.plan
    took = (experiment.ended_at - experiment.started_at).total_seconds() if experiment.started_at else None
    return (
        f"`{experiment.recipe}`" + (f", the newest of {one.finished}" if one.finished > 1 else ""),
        experiment.recipe_size,
        f"{experiment.ended_at:%Y-%m-%d %H:%M}",
        duration(took),
        str(plan["repeats"]),
        duration(plan["measure_s"]) + (f"; {trials} crashes a cell" if (trials := plan["crash"]["trials"]) else ""),
        ", ".join(versions(met, experiment.pk)),
        "; ".join(one.changed) or UNKNOWN,
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(value) for value in line)} |" for line in lines)


def _cell(value: object) -> str:
    """A text that would break the table, or begin HTML, does not."""
    text = re.sub(r"\s+", " ", str(value)).replace("|", "\\|")
    return re.sub(r"<(?!br>)", "&lt;", text)
