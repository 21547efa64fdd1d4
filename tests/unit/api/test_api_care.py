"""Experiments found, named, tagged, marked, commented on, deleted and restored by script."""

import pytest

from dashboard.records.accounts.role import Role
from dashboard.records.experiments import care
from dashboard.records.experiments.models import Experiment
from tests.unit.api.tokens import script, somebody
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
ALL = "/api/v1/experiments"


@pytest.fixture
def experiment(db):
    return factory.experiment()


@pytest.fixture
def maria(db):
    return script(somebody(Role.OPERATOR, "maria"))


def change(client, experiment, **changes):
    return client.patch(f"{ALL}/{experiment.pk}", changes, "application/json")


def test_an_experiment_is_named_tagged_and_marked_at_once(maria, experiment):
    answer = change(maria, experiment, name=" Before ", tags=["Night  run", "night run", "b"], is_baseline=True)
    told = answer.json()
    assert (answer.status_code, told["name"], told["tags"], told["is_baseline"]) == (
        200,
        "Before",
        ["b", "night run"],
        True,
    )
    same = change(maria, experiment).json()
    assert same == told
    assert change(maria, experiment, is_baseline=False, tags=[]).json()["tags"] == []


def test_a_refused_field_leaves_all_other_fields_unchanged(maria):
    empty = factory.experiment(measured=0)
    refused = change(maria, empty, name="Other", tags=["x"], is_baseline=True)
    assert (refused.status_code, "not measured to its end" in refused.json()["detail"]) == (409, True)
    empty.refresh_from_db()
    assert empty.name == "What safety costs" and not empty.tags.exists()


@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "  "}, {"name": "x" * 121}, {"tags": ["x" * 31]}, {"tags": ["a,b"]}, {"tags": "x"},
     {"tags": [str(n) for n in range(21)]}, {"tags": ["a\nb\u200b"]}, {"is_baseline": 3}, {"state": "done"}],
)  # fmt: skip
def test_a_change_with_a_wrong_value_is_refused(maria, experiment, wrong):
    refused = change(maria, experiment, **wrong)
    assert refused.status_code == 422 and refused.json()["errors"]
    experiment.refresh_from_db()
    assert experiment.name == "What safety costs"


def test_an_experiment_is_found_by_words_tags_and_server(maria, experiment):
    other = factory.experiment(servers=[factory.server("elsewhere")], name="Another")
    care.tag(None, other, ["nightly"])
    server = other.cells.first().server_id

    def ids(**asked):
        return [one["id"] for one in maria.get(ALL, asked).json()["items"]]

    assert ids(words="ANOTHER") == ids(tag="nightly") == ids(server=server) == ids(words="elsewhere") == [other.pk]
    assert ids(mine="true") == ids(words="another", state="failed") == ids(words="zzz") == []
    assert ids() == [other.pk, experiment.pk]


def test_an_experiment_is_deleted_and_restored(maria, experiment):
    path = f"{ALL}/{experiment.pk}"
    assert maria.delete(path).status_code == 204
    assert maria.get(path).status_code == maria.delete(path).status_code == change(maria, experiment).status_code == 404
    assert maria.get(ALL).json()["count"] == 0
    (listed,) = maria.get(ALL, {"deleted": "true"}).json()["items"]
    assert listed["id"] == experiment.pk and listed["deleted_at"]
    assert maria.post(f"{path}/restore").json()["deleted_at"] is None
    assert maria.post(f"{path}/restore").status_code == 200 and maria.get(path).status_code == 200
    assert maria.post(f"{ALL}/4711/restore").status_code == 404


def test_a_running_experiment_is_not_deleted(maria, experiment):
    Experiment.objects.update(state="running")
    refused = maria.delete(f"{ALL}/{experiment.pk}")
    assert (refused.status_code, "Stop it first" in refused.json()["detail"]) == (409, True)


def test_the_deleted_need_their_scope(experiment, admin):
    refused = script(admin, "see").get(ALL, {"deleted": "true"})
    assert refused.status_code == 403 and "needs the scope tidy" in refused.json()["detail"]
    assert script(somebody(Role.VIEWER)).get(ALL, {"deleted": "true"}).status_code == 403


def test_an_experiment_is_commented_on(maria, experiment, admin):
    path = f"{ALL}/{experiment.pk}/comments"
    made = maria.post(path, {"text": " One\r\ntwo "}, "application/json")
    assert (made.status_code, made.json()["text"], made.json()["name"]) == (201, "One\ntwo", "maria")
    for wrong in ({"text": " "}, {"text": "x" * 2001}, {}, {"text": "x", "name": "otto"}):
        assert maria.post(path, wrong, "application/json").status_code == 422
    his = care.comment(admin, experiment, "Mine")
    assert [one["name"] for one in maria.get(path).json()["items"]] == ["maria", "admin"]
    refused = maria.delete(f"/api/v1/comments/{his.pk}")
    assert (refused.status_code, "Only the owner of the comment of admin" in refused.json()["detail"]) == (403, True)
    assert maria.delete(f"/api/v1/comments/{made.json()['id']}").status_code == 204
    care.delete(None, experiment)
    assert maria.get(path).status_code == script(admin).delete(f"/api/v1/comments/{his.pk}").status_code == 404
