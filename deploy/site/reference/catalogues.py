"""Catalogues: settings that a variant may set, recipes, builds, words of the pages."""

from collections.abc import Iterator

from dashboard.pages.help.terms import MANUALS, TERMS
from reference.markdown import code, page, plain, table
from workers.bench.recipes import shelf
from workers.bench.replica_settings import REPLICAS_OWN_SETTINGS
from workers.sandbox.builds.catalogue import CATALOGUE
from workers.servers.settings import SETTINGS, Rule, Setting


def page_of_settings() -> str:
    return page(
        "Settings of servers",
        "A variant may set these. [Settings](../docs/settings.md) has the variables of Durascope's own environment.\n",
        *(part for one in SETTINGS.values() for part in _setting(one)),
        "## Settings of replicas alone\n",
        "In a topology: `+replica.NAME=VALUE` ([Topologies](../docs/topology.md)).\n",
        table(
            ("setting", "values"), ((code(name), plain(rule.allows)) for name, rule in REPLICAS_OWN_SETTINGS.items())
        ),
    )


def _setting(one: Setting) -> Iterator[str]:
    yield f"## {code(one.name)}\n"
    yield f"**{plain(one.title)}.** {plain(one.explains)}\n"
    yield table(
        ("flavour", "default", "values", "without a restart"), (_rule(key, rule) for key, rule in one.rules.items())
    )


def _rule(flavour: str, rule: Rule) -> tuple[str, ...]:
    values = ", ".join(map(code, rule.choices)) or (f"{rule.least:,} to {rule.most:,}" if rule.most else "")
    since = rule.dynamic_since
    changes = "no" if since is None else f"from {'.'.join(map(str, since))}" if any(since) else "yes"
    return f"[{MANUALS[flavour]}]({rule.manual})", code(rule.default), values, changes


def page_of_recipes() -> str:
    rows = (
        (code(key), f"**{plain(one.title)}** {plain(one.says)}", str(len(one.claims) or ""))
        for key, one in shelf(None).recipes.items()
    )
    return page(
        "Built-in recipes",
        "`manage.py experiment recipes KEY` shows one with its claims. [Recipes](../docs/recipes.md) says how to write "
        "your own.\n",
        table(("key", "question", "claims"), rows),
    )


def page_of_builds() -> str:
    rows = (
        (code(key), plain(one.title), plain(one.purpose), f"{one.download_mib:,}", f"{one.size_mib:,}")
        for key, one in CATALOGUE.items()
    )
    return page(
        "Builds",
        "`manage.py build install KEY` installs one ([Builds](../docs/builds.md)).\n",
        table(("key", "server", "what it is for", "download, MiB", "installed, MiB"), rows),
    )


def page_of_terms() -> str:
    return page(
        "Words of the pages",
        "The words with a dotted line on the pages. The words of the project itself are in the "
        "[glossary](../docs/glossary.md).\n",
        table(("word", "meaning"), ((plain(word), plain(one.says)) for word, one in sorted(TERMS.items()))),
    )
