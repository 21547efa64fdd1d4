"""Nothing that names a figure or a setting stands on a page without an explanation."""

import re
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import mark_safe

from dashboard.findings.compare.figures import FIGURES as COMPARED
from dashboard.findings.per_commit import FILES, FSYNCS
from dashboard.installation.home import PROJECT
from dashboard.pages.documents import chapters
from dashboard.pages.help.terms import FILE, GROUPS, LEFT_OUT, TERMS, WORDS, Term, explained, read
from dashboard.pages.results.cell_page import figure_title
from dashboard.pages.templatetags.terms import term
from dashboard.records.experiments.kind_names import title
from dashboard.records.history.figures import FIGURES as FOLLOWED
from dashboard.records.sharing import actions as sharing
from tests.unit.history import nights
from tests.unit.results import factory, trials
from tests.walks import report
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.bench.workloads import WORKLOADS
from workers.errors import PlanError
from workers.metrics.source import FIGURES
from workers.servers.settings import SETTINGS

HOSTS = {"mariadb.com", "dev.mysql.com", "github.com"}
LONGEST = 240
HEADING = re.compile(r'<th scope="(?:col|row)"[^>]*>(.*?)</th>', re.S)
ROWS = re.compile(r'<th scope="row"[^>]*>.*?</th>', re.S)  # on a page: names of variants and servers
WRITTEN = re.compile(r"""{% term "([^"]+)"(?: "([^"]+)")? %}""")
# Headings that name no figure: people, times, names, states.
PLAIN = {
    "#", "a", "a check failed", "account", "acknowledged commits that it holds", "act", "add", "added", "address",
    "answers", "b",
    "begins with", "change", "channel", "claim", "deleted", "details", "differences in the environment", "done", "due",
    "effect", "error message", "events", "experiment", "fact or variable", "failed", "field",
    "figure", "finding", "from",
    "host", "in the measured seconds", "kind", "label", "last experiment", "last login",
    "last run", "last problem", "last connection test", "last used",
    "lowest role", "trial", "logged in", "made", "may", "meaning",
    "measured", "measured at", "message", "mine", "moment", "name", "next", "node", "not available", "note", "object",
    "limited to", "opens",
    "operation", "parameters", "person", "program", "put back to", "removed for good", "rests on", "role", "schedule",
    "scope", "second factor", "server", "since", "site", "stands for", "started", "state", "statement", "step",
    "began, since the start of the load", "time since the load began", "to", "tried", "type", "unclear",
    "use", "value", "views", "was measuring", "what", "what is done", "what it does",
    "when", "where", "why",
    "worker", "workers", "met", "target",
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


def test_every_setting_is_explained_with_each_manual():
    def is_explained(setting, found):
        return found.says == setting.explains and len(found.manuals) == len(setting.rules) >= 1

    report(name for name, setting in SETTINGS.items() if not is_explained(setting, explained(name)))


def test_every_figure_that_a_source_reports_is_explained():
    shown = [figure_title(name) for name in FIGURES]
    shown += [f"{FILES.get(files, files)} fsyncs per commit" for files in FSYNCS] + ["commits per group"]
    shown += [f"{workload.counts} per second" for workload in WORKLOADS.values()]
    shown += [figure.title for figure in FOLLOWED.values()]
    assert [name for name in shown if explained(name) is None] == []


def test_each_crash_kind_and_fault_has_its_own_text_or_that_of_the_glossary():
    others = [key for key in TRIAL_KINDS if title(key) not in dict(WORDS)]
    assert [key for key in others if explained(TRIAL_KINDS[key].title).says != TRIAL_KINDS[key].says] == []
    assert explained("Lying disk").says.startswith("A disk that reports flushes")


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
    again = trials.experiment()
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
        *(f"{reverse('results:compare')}?a={experiment.pk}&b={again.pk}&figure={key}" for key in COMPARED),
        reverse("history:server", args=[other.pk]),
        reverse("reproduction:claims"),
        reverse("fleet:storage"),
        reverse("fleet:builds"),
        f"/share/{token}/",
    ]


def faults(term):
    """What is wrong with an explanation."""
    if not term.says.endswith(".") or "\n" in term.says or len(term.says) > LONGEST:
        yield f"not a short sentence: {term.says}"
    for page in term.manuals.values():
        parts = urlsplit(page)
        is_of_a_manual = parts.scheme == "https" and parts.hostname in HOSTS and parts.path not in ("", "/")
        if not is_of_a_manual or re.search(r"\s", page):
            yield f"no page of a manual: {page}"


def test_a_bad_explanation_would_be_found():
    for says in ("No full stop", "Two\nlines.", "x" * LONGEST + "."):
        assert len(list(faults(Term(says)))) == 1
    for page in (
        "http://mariadb.com/kb",
        "https://mariadb.com/",
        "https://elsewhere.org/kb",
        "https://mariadb.com/a b",
    ):
        assert len(list(faults(Term("Short.", {"MariaDB": page})))) == 1


def test_an_explanation_is_one_sentence_or_two_and_its_links_are_of_manuals():
    every = {name: explained(name) for name in (*TERMS, *SETTINGS)}
    report(f"{word}: {fault}" for word, term in every.items() for fault in faults(term))


def test_a_term_is_reached_by_keyboard_and_escaped():
    text = Template('{% term "Fsyncs per commit" %}{% term word %}').render(Context({"word": "<b>mine</b>"}))
    assert 'tabindex="0"' in text and 'data-links="MariaDB https://' in text
    assert text.endswith("&lt;b&gt;mine&lt;/b&gt;")


def test_the_page_of_words_has_all_of_them(client_in):
    page = client_in.get(reverse("help:words")).text
    assert page.count("<dt>") == len(TERMS) - len(GROUPS[LEFT_OUT]) + len(SETTINGS)
    assert sum(map(len, GROUPS.values())) == len(TERMS), "each word has one text"
    assert "<dt>nearest value</dt>" not in page and explained("Nearest value"), "understood only in its table"
    for place in list(GROUPS)[:-2]:
        assert f"<h3>{place}</h3>" in page
    assert 'rel="noopener noreferrer"' in page


def test_markup_of_a_template_is_kept_and_markup_of_a_person_is_escaped():
    """The same letters: of the first the marks stand, of the second they are escaped, whichever came first."""
    told = "<b>bold word</b>"
    assert term(mark_safe(told)) == told
    assert term(told) == "&lt;b&gt;bold word&lt;/b&gt;"
    assert term(mark_safe(told)) == told


@pytest.mark.parametrize(
    ("written", "instead", "says"),
    [
        (
            '"repeat" = "The same',
            '"repeat" = 3 # "The same',
            "says.Result: what is compared.repeat is 3. Write a text in quotes.",
        ),
        (
            '"throughput/s" = "throughput"',
            '"throughput/s" = "speed"',
            "same.throughput/s is 'speed'. There are:",
        ),
        ('terms = ["workload"]', 'terms = ["work"]', "manuals[1].terms is 'work'. There are: setting"),
        ("sysbench =", "oracle =", "manuals[1].oracle is not known here. Known: mariadb, mysql, sysbench, terms."),
    ],
)
def test_a_broken_file_is_named_with_table_and_key(tmp_path, written, instead, says):
    broken = tmp_path / "terms.toml"
    broken.write_text(FILE.read_text().replace(written, instead, 1))
    with pytest.raises(PlanError) as refused:
        read(broken)
    assert str(refused.value).startswith("terms.toml") and says in str(refused.value)


def test_the_glossary_of_the_documents_is_on_the_page(client_in):
    page = client_in.get("/help/").content.decode()
    rows = [line for line in (PROJECT / "docs/glossary.md").read_text().splitlines() if line.startswith("| ")][1:]
    assert len(WORDS) == len(rows) > 60
    for word, meaning in WORDS:
        assert f"<dt>{escape(word)}</dt>" in page.replace("\n", "")
        assert meaning and not set(meaning) & set("|*`")


def test_the_limits_of_the_documents_are_on_a_page_for_everybody():
    page = Client().get(reverse("help:limits")).text
    rows = [row for _, chapter in chapters("limits.md") for row in chapter]
    assert len(rows) > 15 and reverse("help:limits") in page
    report(cell for row in rows for cell in row if escape(cell) not in page)
    report(cell for row in rows for cell in row if set(cell) & set("`[<*"))  # the page shows no markup
