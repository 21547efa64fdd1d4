"""A storage engine's name comes from a person and ends in CREATE TABLE, where nothing can quote it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.load_requests import request
from tests.unit.bench.plans import plan
from workers.bench.needs import Candidate
from workers.bench.plan import ENGINE_NAME, Variant
from workers.bench.review import problems
from workers.bench.workloads import fit
from workers.errors import PlanError

SANDBOX = Candidate("sandbox", is_sandbox=True, flavour="mariadb")
EVIL = ["InnoDB DATA DIRECTORY='/tmp'", "innodb; DROP TABLE t", "", "innodb AS SELECT 1", "innodb\n", "1", "é"]


@pytest.mark.parametrize("engine", EVIL)
def test_a_bad_engine_name_is_refused_in_the_plan(engine):
    found = problems(plan(variants=(Variant("x", {}, engine),)), {1: SANDBOX})
    assert any("no name of a storage engine" in one for one in found)


@pytest.mark.parametrize("engine", EVIL)
def test_a_bad_engine_name_is_refused_before_sysbench_starts(engine):
    with pytest.raises(PlanError, match="no name of a storage engine"):
        fit(request(engine=engine))


@pytest.mark.parametrize("engine", ["InnoDB", "ROCKSDB", "innodb", "PERFORMANCE_SCHEMA", "TokuDB"])
def test_real_ones_pass(engine):
    assert fit(request(engine=engine)) == {}


@given(st.text())
def test_an_accepted_engine_name_is_one_ascii_word(text):
    if ENGINE_NAME.fullmatch(text):
        assert text.replace("_", "a").isalnum() and text.isascii()
