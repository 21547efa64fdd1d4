"""Nothing that names a figure or a setting stands on a page without an explanation."""

import re
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.template import Context, Template
from django.urls import reverse
from django.utils.safestring import mark_safe

from dashboard.help.templatetags.terms import term
from dashboard.help.terms import TERMS, explained
from dashboard.history.figures import FIGURES as FOLLOWED
from dashboard.results.crash.kinds import title
from dashboard.results.per_commit import FSYNCS
from dashboard.sharing import actions as sharing
from tests.unit.history import nights
from tests.unit.results import factory, trials
from workers.bench.workloads import WORKLOADS
from workers.crash.kinds import CRASH_KINDS
from workers.metrics.source import FIGURES
from workers.servers.settings import SETTINGS

HOSTS = {"mariadb.com", "dev.mysql.com", "github.com"}
LONGEST = 240
HEADING = re.compile(r'<th scope="(?:col|row)"[^>]*>(.*?)</th>', re.S)
ROWS = re.compile(r'<th scope="row"[^>]*>.*?</th>', re.S)  # on a page: names of variants and servers
WRITTEN = re.compile(r"""{% term "([^"]+)"(?: "([^"]+)")? %}""")
# Headings that name no figure: people, times, names, states.
PLAIN = {
    "#", "add", "added", "and", "answers", "begins with", "channel", "claim", "deleted", "details", "did", "done",
    "due", "error, word for word", "experiment", "fact or variable", "field", "figure", "finding",
    "finding, or why there is none", "from", "held", "host", "in", "in the measured seconds", "kind", "label",
    "last experiment", "last login", "last night", "last problem", "last test", "last used", "logs in", "made", "may",
    "meaning", "measured", "measured at", "message", "mine", "moment", "name", "next", "note", "one must be at least",
    "opens", "operation", "put back to", "removed for good", "rests on", "role", "schedule", "scope", "second factor",
    "server", "since", "site", "stands for", "started", "state", "statement", "step", "takes", "to", "told when",
    "type", "value", "views", "what", "what differed in the environment", "what it does", "when", "where", "who",
    "why", "worker", "workers", "write it as",
}  # fmt: skip


def unexplained(markup):
    """Headings of a page that say nothing of themselves and should."""
    for inside in HEADING.findall(markup):
        text = re.sub(r"<[^>]+>", "", inside).strip()
        named = "<" not in inside and "{" not in inside and text
        if named and text.lower() not in PLAIN:
            yield text


def templates():
    for folder in settings.TEMPLATES[0]["DIRS"]:
        yield from sorted(folder.rglob("*.html"))


def test_a_heading_without_explanation_would_be_found():
    assert list(unexplained('<th scope="col" class="num">Fsyncs per fortnight</th>')) == ["Fsyncs per fortnight"]
    assert not list(unexplained('<th scope="col"><abbr class="term" data-tip="x">Fsyncs per commit</abbr></th>'))
    assert not list(unexplained('<th scope="row"><a href="/">what people called it</a></th>'))


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_explained_with_each_manual(name):
    setting, found = SETTINGS[name], explained(name)
    assert found.says == setting.explains
    assert len(found.manuals) == len(setting.rules) >= 1


def test_every_figure_that_a_source_reports_is_explained():
    shown = [name.replace("_", " ") for name in FIGURES]  # as the page of a cell writes them
    shown += [f"{files} fsyncs per commit" for files in FSYNCS] + ["commits per binlog group"]
    shown += [f"{workload.counts} per second" for workload in WORKLOADS.values()]
    shown += [figure.title for figure in FOLLOWED.values()]
    shown += [kind.title for kind in CRASH_KINDS.values()] + [title(key) for key in CRASH_KINDS]
    assert [name for name in shown if explained(name) is None] == []


def test_a_figure_without_explanation_would_be_found():
    assert explained("fsyncs per fortnight") is None


def test_every_word_of_a_template_is_known():
    missing = [
        (path.name, meant or word)
        for path in templates()
        for word, meant in WRITTEN.findall(path.read_text())
        if explained(meant or word) is None
    ]
    assert missing == []


def test_every_heading_of_a_template_is_explained_or_plain():
    assert {path.name: found for path in templates() if (found := list(unexplained(path.read_text())))} == {}


@pytest.mark.django_db
def test_every_heading_of_a_page_is_explained_or_plain(client_in, admin):
    """Also those that charts bring along."""
    missing = {}
    for address in addresses(admin):
        answer = client_in.get(address)
        assert answer.status_code == 200, address
        if found := list(unexplained(ROWS.sub("", answer.text))):
            missing[address] = found
    assert missing == {}


def addresses(admin):
    experiment = trials.experiment()
    cell, trial = experiment.cells.first(), experiment.trials.first()
    _, token = sharing.share(admin, experiment)
    other = factory.server("other")
    nights.history(other, [1000.0] * 4)
    runs = "&".join(f"runs={one.run.pk}" for one in experiment.cells.all()[:2])
    return [
        reverse("home"),
        reverse("results:page", args=[experiment.pk]),
        reverse("results:cell", args=[cell.pk]),
        reverse("results:trial", args=[trial.pk]),
        reverse("results:trials", args=[experiment.pk]),
        f"{reverse('results:compare')}?{runs}&from={experiment.pk}",
        reverse("history:server", args=[other.pk]),
        reverse("reproduction:claims"),
        reverse("fleet:storage"),
        reverse("fleet:builds"),
        f"/share/{token}/",
    ]


def every_explanation():
    return {**TERMS, **{name: explained(name) for name in SETTINGS}}.items()


@pytest.mark.parametrize(("word", "term"), every_explanation())
def test_an_explanation_is_one_sentence_or_two_and_its_links_are_of_manuals(word, term):
    assert term.says.endswith(".") and "\n" not in term.says and len(term.says) <= LONGEST
    for page in term.manuals.values():
        parts = urlsplit(page)
        assert parts.scheme == "https" and parts.hostname in HOSTS and parts.path not in ("", "/"), page
        assert not re.search(r"\s", page)


def test_a_term_is_reached_by_keyboard_and_escaped():
    text = Template('{% term "Fsyncs per commit" %}{% term word %}').render(Context({"word": "<b>mine</b>"}))
    assert 'tabindex="0"' in text and 'data-links="MariaDB https://' in text
    assert text.endswith("&lt;b&gt;mine&lt;/b&gt;")


def test_the_page_of_words_has_all_of_them(client_in):
    page = client_in.get(reverse("help:words")).text
    assert page.count("<dt>") == len(TERMS) + len(SETTINGS)
    assert 'rel="noopener noreferrer"' in page


def test_what_a_template_says_and_what_a_person_wrote_are_told_apart():
    """The same letters: of the first the marks stand, of the second they are escaped, whichever came first."""
    told = "<b>bold word</b>"
    assert term(mark_safe(told)) == told
    assert term(told) == "&lt;b&gt;bold word&lt;/b&gt;"
    assert term(mark_safe(told)) == told
