from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha1
from pathlib import Path

import pytest

from tests.unit.bench.load_requests import TARGET, request
from workers.bench import login, sysbench
from workers.bench.workloads import LUA_FOLDER, fit
from workers.errors import LoadError, PlanError
from workers.servers import loads
from workers.servers.logins import for_sysbench


def arguments(**changes) -> list[str]:
    asked = request(**changes)
    with login.address(asked.target) as address:
        return sysbench._arguments(asked, address, fit(asked))


@pytest.fixture(autouse=True)
def with_mariadbs_library(monkeypatch):
    monkeypatch.setattr(loads, "is_mariadbs", lambda: True)


def test_arguments_name_the_script_and_hold_each_value_once():
    given = arguments(workload="rows-per-transaction", params={"rows": "10"})
    assert given[0] == "rows_per_transaction"
    assert {"--rows=10", "--style=multi", "--threads=400", "--time=2", "--rand-type=uniform", "--rand-seed=7"} <= set(
        given
    )
    assert "--mysql-host=host=db.example;restricted-auth=mysql_native_password" in given
    assert "--mysql-port=3307" in given


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
    given = arguments(target=replace(TARGET, host="localhost"))
    assert any(one.startswith("--mysql-host=host=127.0.0.1;") for one in given)


def test_another_library_would_give_the_password_to_anybody_so_no_load_is_started(monkeypatch):
    monkeypatch.setattr(loads, "is_mariadbs", lambda: False)
    with pytest.raises(PlanError, match=r"any machine that answers at db\.example") as refused:
        arguments()
    assert "socket" in refused.value.fix
    assert "--mysql-socket=/run/x.sock" in arguments(target=replace(TARGET, socket="/run/x.sock"))


@pytest.mark.parametrize("known", [{"any_key": True}, {"kind": "sandbox"}], ids=["of 0.2.0", "a sandbox"])
def test_where_any_server_may_hear_it_another_library_gets_the_address_alone(monkeypatch, known):
    """It would look for a host of the other name."""
    monkeypatch.setattr(loads, "is_mariadbs", lambda: False)
    assert "--mysql-host=db.example" in arguments(target=replace(TARGET, **known))


@pytest.mark.parametrize("name", ["libmariadb.so.3", "libmysqlclient.so.21", "no library: linked into it"])
def test_the_library_is_read_from_the_program(tmp_path, monkeypatch, name):
    monkeypatch.undo()
    (tmp_path / "sysbench").write_bytes(b"\x7fELF\0" + name.encode() + b"\0")
    (tmp_path / "sysbench").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert loads.is_mariadbs() is ("libmariadb" in name)


def test_a_confirmed_key_is_given_as_a_file_and_allows_the_ways_that_need_it():
    with login.address(replace(TARGET, key_pin="a key")) as address:
        options = dict(part.split("=", 1) for part in address[0].removeprefix("--mysql-host=").split(";"))
        assert Path(options["server-public-key"]).read_text() == "a key"
        assert "caching_sha2_password" in options["restricted-auth"] and "clear" not in options["restricted-auth"]
    assert not Path(options["server-public-key"]).exists()


@pytest.mark.parametrize("tls", ["required", "verify"])
def test_under_tls_only_one_certificate_is_accepted_and_no_key(tls):
    target = replace(TARGET, tls=tls, tls_ca="/ca.pem", key_pin="a key")
    for certificate in (b"DER", b""):
        with login.address(target, certificate) as address:
            assert f";ssl-fp={sha1(certificate).hexdigest()}" in address[0] and "public-key" not in address[0]


CERTIFICATE, KEY, AUTHORITY, OLD = {"certificate_pin": "AB"}, {"key_pin": "K"}, {"tls_ca": "/ca.pem"}, {"any_key": True}


@pytest.mark.parametrize(
    ("tls", "pins", "by_key", "in_clear"),
    [
        ("preferred", {}, False, False),
        ("preferred", CERTIFICATE, False, False),  # sysbench's own connection is plain there
        ("off", CERTIFICATE, False, False),
        ("preferred", CERTIFICATE | KEY, True, False),
        ("off", KEY, True, False),
        ("off", OLD, True, False),
        ("required", {}, False, False),
        ("required", AUTHORITY, False, False),  # any host with a certificate of that authority
        ("required", KEY, False, False),  # any certificate could be in between
        ("required", CERTIFICATE, True, True),
        ("required", CERTIFICATE | AUTHORITY, True, True),
        ("required", OLD, True, False),
        ("verify", AUTHORITY, True, True),
    ],
)
def test_what_proves_the_server_to_us_proves_nothing_to_a_plain_sysbench(tls, pins, by_key, in_clear):
    target = replace(TARGET, tls=tls, **pins)
    ways = for_sysbench(target)
    assert ("caching_sha2_password" in ways, "sha256_password" in ways) == (by_key, by_key)
    assert ("mysql_clear_password" in ways, "dialog" in ways) == (in_clear, in_clear)
    assert "mysql_native_password" in ways and "mysql_old_password" not in ways
    for plugin in ("mysql_native_password", "caching_sha2_password", "dialog"):
        with nullcontext() if plugin in ways else pytest.raises(PlanError, match=plugin):
            loads.check(target, plugin=plugin)


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
