import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.load_requests import request
from workers.bench.workloads import LUA_FOLDER, OWN, WORKLOADS, fit
from workers.errors import PlanError

KEYS = {
    "update-by-key",
    "replace",
    "insert",
    "rows-per-transaction",
    "insert-ignore",
    "oltp-read-write",
    "write-only",
    "durable-once-a-second",
}
ROWS = WORKLOADS["rows-per-transaction"]


def test_it_has_the_workloads_of_the_plan_each_with_its_script():
    assert set(WORKLOADS) == {*KEYS, OWN}
    assert all((LUA_FOLDER / workload.script).is_file() for workload in WORKLOADS.values())
    assert all(key == workload.key and workload.says for key, workload in WORKLOADS.items())


@pytest.mark.parametrize("key", sorted(KEYS))
def test_it_accepts_its_own_defaults_and_choices(key):
    workload = WORKLOADS[key]
    filled = workload.check({})
    assert set(filled) == set(workload.params)
    for name, param in workload.params.items():
        for value in (param.default, *param.choices):
            assert workload.check({name: value})[name] == value


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_parameter_is_an_option_of_its_script(key):
    workload = WORKLOADS[key]
    script = (LUA_FOLDER / workload.script).read_text()
    assert all(f'bench.option("{name}"' in script for name in workload.params)
    assert ("bench.grow()" in script) == workload.grows


@pytest.mark.parametrize("rows", ["abc", "", "0", "-1", "1.5", "10001", "1e3", "٣", "9" * 50, "1; DROP"])
def test_it_refuses_a_wrong_number_and_says_what_fits(rows):
    with pytest.raises(PlanError) as refused:
        ROWS.check({"rows": rows})
    assert "from 1 to 10000" in refused.value.fix


def test_it_refuses_a_wrong_choice_and_an_unknown_name():
    with pytest.raises(PlanError, match="not a choice"):
        ROWS.check({"style": "bulk"})
    with pytest.raises(PlanError, match="no parameter 'row'"):
        ROWS.check({"row": "1"})


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=60), max_size=3))
def test_accepted_parameters_are_within_their_bounds(params):
    for workload in WORKLOADS.values():
        try:
            filled = workload.check(params)
        except PlanError:
            continue
        for name, value in filled.items():
            param = workload.params[name]
            assert value in param.choices or param.minimum <= int(value) <= param.maximum


def test_it_knows_the_rows_of_a_transaction():
    assert ROWS.rows(ROWS.check({"rows": "100"})) == 100
    assert WORKLOADS["update-by-key"].rows({}) == 1


def test_workloads_of_one_shape_share_a_table():
    shapes = {key: workload.shape(workload.check({})) for key, workload in WORKLOADS.items() if key != OWN}
    assert shapes["update-by-key"] == shapes["write-only"] == shapes["replace"]
    assert shapes["insert"] != shapes["update-by-key"] != shapes["insert-ignore"]
    replace = WORKLOADS["replace"]
    assert replace.shape(replace.check({"index": "no"})) != replace.shape(replace.check({"index": "yes"}))


def test_it_refuses_a_session_setting_where_the_engine_has_none():
    for engine in ("innodb", "rocksdb"):
        with pytest.raises(PlanError, match=f"{engine} has no durability setting per session"):
            fit(request(workload="durable-once-a-second", params={"how": "session"}, engine=engine))
    assert fit(request(workload="durable-once-a-second", params={"how": "session"}, engine="TokuDB"))


def test_it_refuses_more_threads_than_rows_of_their_own():
    with pytest.raises(PlanError, match="need a row each"):
        fit(request(workload="durable-once-a-second", threads=4, table_rows=3))
    assert fit(request(workload="durable-once-a-second", threads=4, table_rows=4))
    assert fit(request(workload="update-by-key", threads=4, table_rows=3)) == {}


def test_it_refuses_a_workload_that_is_not_there():
    with pytest.raises(PlanError, match="no workload 'x'"):
        fit(request(workload="x"))
