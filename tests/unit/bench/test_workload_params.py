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


def test_every_workload_of_a_plan_has_its_script():
    assert set(WORKLOADS) == {*KEYS, OWN}
    assert all((LUA_FOLDER / workload.script).is_file() for workload in WORKLOADS.values())
    assert all(key == workload.key and workload.says for key, workload in WORKLOADS.items())


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_workload_accepts_its_own_defaults_and_choices(key):
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
def test_a_number_out_of_range_is_refused_with_the_range(rows):
    with pytest.raises(PlanError) as refused:
        ROWS.check({"rows": rows})
    assert "from 1 to 10000" in refused.value.fix


def test_a_wrong_choice_and_an_unknown_parameter_are_refused():
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
            assert value in param.choices or param.least <= int(value) <= param.most


def test_the_rows_of_a_transaction_are_known():
    assert ROWS.rows(ROWS.check({"rows": "100"})) == 100
    assert WORKLOADS["update-by-key"].rows({}) == 1


def test_workloads_of_one_shape_share_a_table():
    shapes = {key: workload.shape(workload.check({})) for key, workload in WORKLOADS.items() if key != OWN}
    assert shapes["update-by-key"] == shapes["write-only"] == shapes["replace"]
    assert shapes["insert"] != shapes["update-by-key"] != shapes["insert-ignore"]
    replace = WORKLOADS["replace"]
    assert replace.shape(replace.check({"index": "no"})) != replace.shape(replace.check({"index": "yes"}))


def test_a_session_setting_that_the_engine_lacks_is_refused():
    for engine in ("innodb", "rocksdb"):
        with pytest.raises(PlanError, match=f"{engine} has no durability setting per session"):
            fit(request(workload="durable-once-a-second", params={"how": "session"}, engine=engine))
    assert fit(request(workload="durable-once-a-second", params={"how": "session"}, engine="TokuDB"))


def test_more_threads_than_rows_are_refused_if_each_thread_needs_a_row():
    with pytest.raises(PlanError, match="need a row each"):
        fit(request(workload="durable-once-a-second", threads=4, table_rows=3))
    assert fit(request(workload="durable-once-a-second", threads=4, table_rows=4))
    assert fit(request(workload="update-by-key", threads=4, table_rows=3)) == {}


def test_an_unknown_workload_is_refused():
    with pytest.raises(PlanError, match="no workload 'x'"):
        fit(request(workload="x"))
