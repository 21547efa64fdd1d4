import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.load_requests import captured
from workers.bench.output import MOST_LINES, SysbenchOutput


def taken(text: str) -> SysbenchOutput:
    output = SysbenchOutput()
    for line in text.splitlines():
        output.take(line)
    return output


def test_the_output_of_a_real_run_is_read():
    output = taken(captured("good_complex"))
    assert [round(second.t_s) for second in output.seconds] == [1, 2, 3][: len(output.seconds)]
    total = output.total
    assert total.errors == 0 and total.writes == 4 * total.transactions and total.reads == 14 * total.transactions
    assert 0 < output.seconds[0].p95_ms < total.latency_max_ms


def test_the_text_is_kept_without_the_bars_of_the_histogram():
    text = taken(captured("good")).text
    assert "Threads started!" in text and '"report":"total"' in text
    assert "****" not in text


def test_a_second_without_transactions_has_no_latency():
    line = {"report": "second", "t_s": 1, "tps": 0, "qps": 0, "writes": 0, "errors": 0, "p95_ms": 0.001}
    assert SysbenchOutput().take(json.dumps(line)).p95_ms is None


def test_a_run_that_broke_off_has_no_total():
    assert taken(captured("gone_kill9_2013")).total is None
    assert len(taken(captured("gone_kill9_2013")).seconds) == 2


def test_endless_lines_and_endless_output_are_cut():
    output = taken("\n".join(["x" * 100_000] * 2 + ["FATAL: again"] * (MOST_LINES + 10)))
    assert len(output.text) < 100_000


@pytest.mark.parametrize("value", ["null", "NaN", "Infinity", "-1", '"1"', "true", "[]", "1e999"])
def test_a_figure_that_is_no_number_is_not_read(value):
    line = f'{{"report":"second","t_s":1,"tps":{value},"qps":1,"writes":1,"errors":0,"p95_ms":1}}'
    assert SysbenchOutput().take(line) is None


@given(st.one_of(st.text(), st.text().map(lambda rest: '{"report":' + rest), st.binary().map(repr)))
def test_garbage_is_text_and_nothing_else(line):
    output = SysbenchOutput()
    assert output.take(line) is None
    assert output.total is None


@given(st.recursive(st.none() | st.floats() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_no_json_makes_it_fail(value):
    SysbenchOutput().take(json.dumps(value))
    SysbenchOutput().take(json.dumps({"report": "total", "elapsed_s": value}))


@given(st.lists(st.sampled_from(captured("good").splitlines()), max_size=50))
def test_real_lines_in_any_order_never_fail(lines):
    output = taken("\n".join(lines))
    assert len(output.seconds) == sum('"second"' in line for line in lines)


def output_of(*tps: float, elapsed_s: float) -> SysbenchOutput:
    """A run with these printed seconds, of which 400 transactions are known in all."""
    output = SysbenchOutput()
    for n, rate in enumerate(tps, 1):
        second = {"t_s": n, "tps": rate, "qps": rate, "writes": rate, "errors": 0, "p95_ms": 1}
        output.take(json.dumps({"report": "second", **second}))
    counts = {"transactions": 400, "reads": 0, "writes": 400, "other": 0, "errors": 0, "reconnects": 0}
    latency = {"latency_avg_ms": 1, "latency_max_ms": 2}
    output.take(json.dumps({"report": "total", "elapsed_s": elapsed_s, **counts, **latency}))
    return output


def test_the_last_second_is_what_the_others_leave_of_the_total():
    series = output_of(90, 110, 80, elapsed_s=4.0).series
    assert [round(second.tps, 6) for second in series] == [90, 110, 80, 120]
    assert (series[-1].t_s, series[-1].p95_ms) == (4.0, None)


def test_no_second_is_added_if_sysbench_printed_all_of_them():
    assert len(output_of(90, 110, 80, 120, elapsed_s=4.003).series) == 4


def test_of_a_long_line_the_beginning_is_kept():
    output = SysbenchOutput()
    output.take("FATAL: " + 500 * "x")
    assert output.text == "FATAL: " + 393 * "x" + "\n"
