"""A worker that was taken for dead and comes back: whatever it still writes is refused."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.experiments.models import Run
from dashboard.fleet.models import HostLease
from tests.unit.conduct import experiments as make
from workers import claims, store, tend

pytestmark = pytest.mark.django_db


@pytest.fixture
def returned():
    """(the experiment as the returned worker knows it, its cell, as the new holder knows it, the new one's cell)"""
    lost, new = make.worker(), make.worker()
    stored = make.experiment(make.attached())
    before = store.begin(stored.pk, lost, ["db"])
    cell = store.claim(before)
    lost.beat_at = timezone.now() - timedelta(minutes=1)
    lost.save()
    tend.take_from_the_dead()
    store.release_to_resume(stored)
    after = store.begin(stored.pk, new, ["db"])
    return before, cell, after, store.claim(after)


def test_it_returns_no_lease_of_the_new_holder(returned):
    before, _, after, _ = returned
    assert not store.finish(before, before.worker, "cancelled")
    assert HostLease.objects.filter(experiment=after).exists()
    after.refresh_from_db()
    assert after.state == "running"
    assert after.cells.filter(state="waiting").exists()


def test_it_claims_no_cell_of_the_new_holder(returned):
    before, _, after, _ = returned
    assert store.claim(before) is None
    assert store.claim(after) is not None


def test_it_ends_no_cell_of_the_new_holder(returned):
    _, old, _, new = returned
    assert old.pk == new.pk
    claims.end(old, "cancelled")
    new.refresh_from_db()
    assert new.state == "running"


def test_it_stores_no_run_under_the_new_holders_claim(returned):
    _, old, _, new = returned
    assert store.save_run(old, make.measurement(1), make.environment(), None) is None
    assert store.save_run(new, make.measurement(2), make.environment(), None) is not None
    assert Run.objects.get().transactions == 2


def test_it_knows_that_it_must_stop(returned):
    before, _, after, _ = returned
    assert store.is_cancelled(before, before.worker)
    assert not store.is_cancelled(after, after.worker)


def test_no_cell_stays_running_when_its_experiment_ends():
    stored = make.experiment(make.attached())
    held = store.begin(stored.pk, make.worker(), ["db"])
    store.claim(held)
    assert store.finish(held, held.worker, "failed", "Something unexpected.")
    assert sorted(stored.cells.values_list("state", flat=True)) == ["interrupted", "waiting"]
    assert not HostLease.objects.exists()
