"""Whatever a server or a program printed can be stored, in every database."""

from dataclasses import replace

import pytest

from dashboard.installation.nul import without_nul
from dashboard.records.experiments import claiming, lifecycle, search, storing_runs
from dashboard.records.servers import queries
from tests.unit.conducting import experiments as make
from workers.errors import ServerError

ODD = "a\0b"


def test_nul_is_replaced_by_its_symbol():
    assert without_nul({"a\0": [ODD, 1, None, (True, 2.5)]}) == {"a␀": ["a␀b", 1, None, [True, 2.5]]}
    assert without_nul("as it is") == "as it is"


@pytest.mark.django_db
def test_a_measurement_is_stored_whatever_was_printed():
    experiment = lifecycle.begin(make.experiment(make.attached()).pk, make.worker(), ["h"])
    done = make.measurement()
    done = replace(done, load=replace(done.load, output=ODD), my_cnf=ODD, effective={"init_connect": ODD})
    run = storing_runs.save_run(
        claiming.claim(experiment.cells, experiment), done, storing_runs.environment_row({"server": {"x": ODD}}), None
    )
    run.refresh_from_db()
    assert (run.evidence.output, run.evidence.my_cnf, run.effective) == ("a␀b", "a␀b", {"init_connect": "a␀b"})
    assert run.environment.data == {"server": {"x": "a␀b"}}


@pytest.mark.django_db
def test_so_is_what_went_wrong():
    experiment = lifecycle.begin(make.experiment(make.attached()).pk, make.worker(), ["h"])
    cell = claiming.claim(experiment.cells, experiment)
    claiming.end(cell, "failed", ServerError(ODD, ODD))
    lifecycle.say(experiment, ODD)
    lifecycle.finish(experiment, "failed", ODD, ODD)
    cell.refresh_from_db()
    experiment.refresh_from_db()
    assert [cell.error, cell.fix, experiment.error, experiment.fix] == ["a␀b"] * 4


@pytest.mark.django_db
def test_a_search_finds_what_was_stored():
    server = make.attached(name="a␀b")
    experiment = make.experiment(server)
    assert list(queries.named(ODD)) == [server]
    assert list(search.found({"words": ODD}, None)) == [experiment]
