"""Names, tags, comments, the baseline: who may, what is refused, what the log says."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.audit.models import Event
from dashboard.records.experiments import care, search, tags
from dashboard.records.experiments.care import baseline_for
from dashboard.records.experiments.models import Comment, Experiment, Tag
from dashboard.records.refused import Refused
from dashboard.records.sharing import actions as sharing
from tests.unit.api.tokens import somebody
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(db):
    return factory.experiment()


@pytest.fixture
def maria(client):
    client.force_login(somebody(Role.OPERATOR, "maria"))
    return client


def post(client, what, pk, **fields):
    return client.post(reverse(f"experiments:{what}", args=[pk]), fields, follow=True)


def did(verb):
    return Event.objects.filter(did=verb).count()


@pytest.mark.parametrize(
    ("typed", "tags_of_it"),
    [
        ("Nightly, before  Upgrade ,nightly,,", ["before upgrade", "nightly"]),
        ("", []),
        (" ,, ", []),
        ("Ärger, A\u0308RGER", ["ärger"]),
        ("x" * 30, ["x" * 30]),
        ("\N{PILE OF POO}", ["\N{PILE OF POO}"]),
    ],
)
def test_tags_that_mean_the_same_are_one(typed, tags_of_it):
    assert tags.normalised(typed) == tags_of_it


@pytest.mark.parametrize("typed", ["x" * 31, "a\x00b", "a\u200bb", ",".join(map(str, range(21)))])
def test_an_invalid_tag_is_refused(typed):
    with pytest.raises(tags.NoTag):
        tags.normalised(typed)
    with pytest.raises(tags.NoTag):
        tags.normalised(["a,b"])


def test_an_experiment_is_tagged(maria, experiment):
    page = post(maria, "tag", experiment.pk, tags="Nightly, <b>bold</b>")
    assert "&lt;b&gt;bold&lt;/b&gt;" in page.text and "<b>bold</b>" not in page.text
    assert [one.name for one in experiment.tags.all()] == ["<b>bold</b>", "nightly"]
    post(maria, "tag", experiment.pk, tags="nightly")
    post(maria, "tag", experiment.pk, tags="NIGHTLY")
    assert [one.name for one in experiment.tags.all()] == ["nightly"] and did("tagged") == 2
    assert "nothing was changed" in post(maria, "tag", experiment.pk, tags="x" * 31).text.lower()
    assert [one.name for one in tags.in_use()] == ["nightly"] and Tag.objects.count() == 2


def test_an_experiment_is_renamed_and_found_by_its_new_name(maria, experiment):
    page = post(maria, "rename", experiment.pk, name="  Before the upgrade ")
    assert "Before the upgrade" in page.text
    experiment.refresh_from_db()
    assert experiment.name == "Before the upgrade" and experiment.plan["name"] == "What safety costs"
    assert list(search.found({"words": "UPGRADE"}, None)) == [experiment]
    assert not search.found({"words": "what safety costs"}, None)
    assert Event.objects.get(did="renamed").detail["before"] == "What safety costs"


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\x00b"])
def test_no_name_is_refused(maria, experiment, name):
    assert "Nothing was changed" in post(maria, "rename", experiment.pk, name=name).text
    experiment.refresh_from_db()
    assert experiment.name == "What safety costs" and not did("renamed")


def test_a_comment_keeps_its_lines_and_is_text(maria, experiment):
    page = post(maria, "comment", experiment.pk, text="One\r\ntwo <script>alert(1)</script>\r\n")
    assert Comment.objects.get().text == "One\ntwo <script>alert(1)</script>"
    assert "two &lt;script&gt;" in page.text and "<script>alert" not in page.text
    assert page.redirect_chain[-1][0].endswith("#notes")


def test_a_comment_has_two_thousand_characters(maria, experiment):
    post(maria, "comment", experiment.pk, text="\r\n".join(["x" * 999, "y" * 1000]))  # a browser counts 2000
    assert Comment.objects.count() == 1
    assert "the limit is 2,000" in post(maria, "comment", experiment.pk, text="x" * 2001).text
    assert "Nothing was changed" in post(maria, "comment", experiment.pk, text="  \n ").text
    assert Comment.objects.count() == 1


def test_only_its_author_and_administrators_delete_a_comment(client, experiment, admin):
    hers, his = (
        care.comment(somebody(Role.OPERATOR, name), experiment, f"{name} was here") for name in ("maria", "otto")
    )
    with pytest.raises(NotAllowed, match="Only the owner of the comment of otto and administrators may"):
        care.remove_comment(hers.author, his)
    client.force_login(hers.author)
    assert client.post(reverse("experiments:remove-comment", args=[his.pk])).status_code == 403
    page = client.get(reverse("results:page", args=[experiment.pk]))
    assert page.text.count("Delete<span") == 1  # hers, and no other
    assert client.post(reverse("experiments:remove-comment", args=[hers.pk])).status_code == 302
    care.remove_comment(admin, his)
    assert not Comment.objects.exists() and did("deleted comment") == 2


def test_a_comment_stays_when_its_author_is_gone(experiment, client_in):
    otto = somebody(Role.OPERATOR, "otto")
    kept = care.comment(otto, experiment, "I was here")
    User.objects.filter(pk=otto.pk).delete()
    kept.refresh_from_db()
    assert kept.author is None and kept.name == "otto"
    with pytest.raises(NotAllowed):
        care.remove_comment(somebody(Role.OPERATOR, "maria"), kept)


def test_a_viewer_reads_and_changes_nothing(client, experiment):
    viewer = somebody(Role.VIEWER)
    care.comment(None, experiment, "Said by the machine")
    client.force_login(viewer)
    page = client.get(reverse("results:page", args=[experiment.pk])).text
    assert "Said by the machine" in page and ">Save<" not in page and "Make it the baseline" not in page
    for what in ("rename", "tag", "comment", "mark-baseline", "delete", "restore"):
        assert client.post(reverse(f"experiments:{what}", args=[experiment.pk])).status_code == 403
    for action, *more in ((care.rename, "x"), (care.tag, []), (care.comment, "x"), (care.delete,), (care.restore,)):
        with pytest.raises(NotAllowed):
            action(viewer, experiment, *more)


def test_a_shared_result_shows_none_of_it(client, admin, experiment):
    care.comment(admin, experiment, "For us alone")
    care.tag(admin, experiment, ["secret project"])
    care.mark_baseline(admin, experiment)
    _, token = sharing.share(admin, experiment)
    for user in (None, admin):  # also when somebody who is logged in opens it
        if user:
            client.force_login(user)
        page = client.get(reverse("sharing:show", args=[token])).text
        assert "For us alone" not in page and "secret project" not in page and 'id="notes"' not in page
        assert "badge info" not in page
    assert "secret project" in client.get(reverse("results:page", args=[experiment.pk])).text


def test_the_baseline_is_one_for_each_question(admin):
    box, other = factory.server("box"), factory.server("other")
    first, second = (factory.experiment(servers=[box]) for _ in range(2))
    elsewhere, both = factory.experiment(servers=[other]), factory.experiment(servers=[box, other])
    another = factory.experiment(servers=[box], name="Another question")
    for one in (first, elsewhere, both, another):
        care.mark_baseline(admin, one)
    assert all(baseline_for(one) == one for one in (first, elsewhere, both, another))
    care.rename(admin, second, "Called otherwise")
    assert baseline_for(second) == first
    care.mark_baseline(admin, second)
    first.refresh_from_db()
    assert not first.is_baseline and baseline_for(first) == second
    care.unmark_baseline(admin, second)
    assert baseline_for(first) is None and baseline_for(both) == both


def test_a_recipe_is_the_same_question_whatever_its_plan_is_called(admin):
    one, two = factory.experiment(name="quick"), factory.experiment(name="full")
    Experiment.objects.filter(pk=one.pk).update(recipe="who-agrees-after-a-crash")
    Experiment.objects.filter(pk=two.pk).update(recipe="who-agrees-after-a-crash")
    one.refresh_from_db()
    care.mark_baseline(admin, one)
    assert baseline_for(Experiment.objects.get(pk=two.pk)) == one


@pytest.mark.parametrize("state", ["queued", "running"])
def test_an_experiment_without_all_measurements_cannot_be_a_baseline(maria, experiment, state):
    empty = factory.experiment(measured=0)
    assert "not measured to its end" in post(maria, "mark-baseline", empty.pk).text
    Experiment.objects.filter(pk=experiment.pk).update(state=state)
    with pytest.raises(Refused):
        care.mark_baseline(None, Experiment.objects.get(pk=experiment.pk))
    assert not Experiment.objects.exclude(baseline_of=None).exists()


def test_a_deleted_baseline_is_none_and_comes_back(admin, experiment):
    later = factory.experiment()
    care.mark_baseline(admin, experiment)
    care.delete(admin, experiment)
    assert baseline_for(later) is None
    care.restore(admin, experiment)
    assert baseline_for(later) == experiment
    care.delete(admin, experiment)
    care.mark_baseline(admin, later)
    care.restore(admin, experiment)
    assert baseline_for(experiment) == later


@pytest.mark.django_db(transaction=True)
def test_two_who_mark_at_once_leave_one_baseline(transactional_db):
    made = [factory.experiment() for _ in range(4)]
    together, failures = threading.Barrier(4), []

    def mark(one):
        together.wait(60)
        try:
            care.mark_baseline(None, one)
        except Exception as failure:
            failures.append(failure)
        finally:
            connection.close()

    threads = [threading.Thread(target=mark, args=(one,)) for one in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and Experiment.objects.exclude(baseline_of=None).count() == 1


def test_pages_of_crashes_have_notes_too(client_in):
    crashed = trials.experiment()
    care.comment(None, crashed, "Look at this one")
    assert "Look at this one" in client_in.get(reverse("results:page", args=[crashed.pk])).text


def test_the_live_page_has_notes_and_no_delete_while_it_runs(client_in, experiment):
    Experiment.objects.filter(pk=experiment.pk).update(state="running")
    page = client_in.get(reverse("experiments:show", args=[experiment.pk])).text
    assert ">Save<" in page and reverse("experiments:delete", args=[experiment.pk]) not in page
