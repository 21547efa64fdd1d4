"""A server may be called like a word of the file. The name is replaced where it is a name; the file stays readable."""

import json
import re

import pytest

from dashboard.portable.write import Clean, file_of
from dashboard.records.experiments.claims import claims_of
from dashboard.records.experiments.models import Environment, Experiment, Probe
from dashboard.records.servers.models import Server
from tests.unit.portable import files
from workers.bench.recipes import shelf
from workers.bench.recipes.claims import CHOICES

pytestmark = pytest.mark.django_db


def ours(value, key=""):
    """A claim without prose and names of a plan: its keys, choices and numbers."""
    if isinstance(value, dict):
        return {name: ours(one, name) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [ours(one, key) for one in value]
    return "" if isinstance(value, str) and key not in CHOICES else value


def words_of(claim):
    return re.findall(r"[a-zA-Z_]+", json.dumps(ours(claim)))


@pytest.fixture
def claimed():
    """An experiment that claims what recipes claim: each kind of claim once."""
    made = files.experiment()
    every = [one.as_dict() for recipe in shelf().recipes.values() for one in recipe.claims]
    claims = list({frozenset(words_of(one)): one for one in every}.values())
    kept = {"title": "All", "changed": [], "variants": [], "workloads": [], "claims": claims}
    Experiment.objects.filter(pk=made.pk).update(claims=kept)
    made.refresh_from_db()
    return made


def called(experiment, name):
    """The experiment, its server now called so."""
    [target] = experiment.plan["targets"]
    Server.objects.filter(pk=target["server_id"]).update(name=name)
    target["name"] = name
    experiment.save(update_fields=["plan"])
    return experiment


def test_a_server_called_like_a_word_of_a_claim_leaves_the_claims_readable(claimed):
    known, params = ours(claimed.claims["claims"]), claimed.plan["workloads"][0]["params"]
    words = {*words_of(known), *params}
    assert {"binlog", "commits", "crashes", "gtid", "checks", "engine"} <= words
    for word in sorted(words):
        clean = Clean(called(claimed, word))
        assert ours(clean.data(claimed.claims["claims"])) == known and clean.data(params) == params, word
    read = files.imported(file_of(called(claimed, "binlog")))
    assert ours([one.as_dict() for one in claims_of(read).read()]) == known


def test_a_name_in_the_prose_of_a_claim_is_replaced(claimed):
    claimed.claims["claims"][0]["says"] = "binlog flushes once"
    claimed.claims["changed"] = ["other servers than binlog"]
    claimed.save(update_fields=["claims"])
    index = files.index_of(file_of(called(claimed, "binlog")))
    assert index["claims"]["claims"][0]["says"] == "Server A flushes once"
    assert index["claims"]["changed"] == ["other servers than Server A"]


def keys_of(value):
    """The form of a part of the file: its keys, in the same places."""
    if isinstance(value, dict):
        return {key: keys_of(one) for key, one in value.items()}
    return [keys_of(one) for one in value] if isinstance(value, list) else None


def words_in(form):
    """Of keys; those in `notes` and `sets` are labels that nothing reads by name."""
    if isinstance(form, dict):
        for key, one in form.items():
            yield key
            yield from words_in(None if key in ("notes", "sets", "variables") else one)
    elif isinstance(form, list):
        for one in form:
            yield from words_in(one)


def test_a_server_called_like_a_word_of_the_environment_or_of_a_probe_leaves_both_readable(claimed):
    [environment, *_] = [one.data for one in Environment.objects.all() if "host" in one.data]
    [probe, *_] = [one.data for one in Probe.objects.all()]
    words = {*words_in(keys_of(environment)), *words_in(keys_of(probe)), "append", "overwrite"}
    assert {"host", "storage", "kernel", "version", "n", "size_bytes"} <= words
    for word in sorted(words):
        clean = Clean(called(claimed, word))
        for given in (environment, probe):
            assert keys_of(clean.facts(given)) == keys_of(given), word
        assert [one["way"] for one in clean.facts(probe)["flushes"]] == [one["way"] for one in probe["flushes"]]
    assert files.imported(file_of(called(claimed, "append")))
