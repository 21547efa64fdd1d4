from dataclasses import replace

import pytest

from tests.unit.bench.load_requests import TARGET, request
from workers.bench import sysbench
from workers.bench.workloads import LUA_FOLDER, fit
from workers.errors import LoadError, PlanError


def arguments(**changes) -> list[str]:
    asked = request(**changes)
    return sysbench._arguments(asked, fit(asked))


def test_arguments_name_the_script_and_hold_each_value_once():
    given = arguments(workload="rows-per-transaction", params={"rows": "10"})
    assert given[0] == "rows_per_transaction"
    assert {"--rows=10", "--style=multi", "--threads=400", "--time=2", "--rand-type=uniform", "--rand-seed=7"} <= set(
        given
    )
    assert "--mysql-host=db.example" in given and "--mysql-port=3307" in given


def test_the_password_is_in_the_environment_only(monkeypatch):
    monkeypatch.setenv("DURASCOPE_SECRET_KEY", "hidden")
    environment = sysbench._environment(request())
    assert "s3cret word" not in " ".join(arguments())
    assert environment["MYSQL_PWD"] == "s3cret word"
    assert set(environment) == {"PATH", "LC_ALL", "LUA_PATH", "MYSQL_PWD"}
    assert environment["LUA_PATH"] == f"{LUA_FOLDER}/?.lua;;"


def test_a_socket_wins_over_an_address():
    target = replace(TARGET, socket="/run/x.sock")
    assert next(given for given in arguments(target=target) if "mysql-" in given) == "--mysql-socket=/run/x.sock"
    assert not any("mysql-host" in given for given in arguments(target=target))


def test_localhost_means_the_port_that_was_given():
    assert "--mysql-host=127.0.0.1" in arguments(target=replace(TARGET, host="localhost"))


def test_a_missing_binary_is_said_before_anything_starts(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert sysbench.version() is None
    with pytest.raises(LoadError, match="sysbench is not installed") as error:
        sysbench.run(request(), lambda second: None, lambda: False)
    assert "apt install" in error.value.fix


def test_a_wrong_parameter_is_said_before_anything_starts(monkeypatch):
    monkeypatch.setattr(sysbench.process, "started", None)
    with pytest.raises(PlanError, match="not a whole number"):
        sysbench.run(request(workload="rows-per-transaction", params={"rows": "abc"}), None, lambda: False)


def test_a_sysbench_that_hangs_has_no_version(tmp_path, monkeypatch):
    (tmp_path / "sysbench").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    (tmp_path / "sysbench").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sysbench, "VERSION_S", 0.2)
    assert sysbench.version() is None
