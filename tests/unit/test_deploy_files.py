"""What docs/deployment.md tells people to install: the units, and the environment."""

import os
import re
import shutil
import subprocess
import sys
from secrets import token_urlsafe

import pytest
from cryptography.fernet import Fernet

from dashboard.installation.home import PROJECT
from dashboard.portable.archive import MOST_PACKED

DEPLOY = PROJECT / "deploy"
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
SOCKETS = sorted(DEPLOY.glob("systemd/*.socket"))
VARIABLE = re.compile(r"\b(DURASCOPE_[A-Z_]+[A-Z]|DATABASE_URL)\b")


def documented():
    """deploy/durascope.env as systemd reads it, with what has to be filled in."""
    lines = (line.partition("=") for line in (DEPLOY / "durascope.env").read_text().splitlines())
    found = {name: value for name, equals, value in lines if equals and not name.startswith("#")}
    made = {"DURASCOPE_PASSWORD_KEYS": Fernet.generate_key().decode(), "DURASCOPE_SECRET_KEY": token_urlsafe(48)}
    assert not any(found[name] for name in made), "no secret of ours is an example"
    return found | made


def test_the_deployment_check_is_clean_in_the_documented_environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not VARIABLE.fullmatch(name)}
    kept.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # set by the browser tests for themselves
    env = kept | documented() | {"DURASCOPE_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    argv = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(argv, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "CHANGE-ME" not in done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not here")
@pytest.mark.parametrize("unit", [*UNITS, *SOCKETS], ids=lambda unit: unit.name)
def test_systemd_understands_the_units(unit, tmp_path):
    """Under a program that is here: where the units look for theirs, it is not installed."""
    for one in [*UNITS, *SOCKETS]:
        named = tmp_path / one.name.replace("@", "@local")
        named.write_text(one.read_text().replace("/opt/durascope/.venv/bin/python", sys.executable))
    here = tmp_path / unit.name.replace("@", "@local")
    done = subprocess.run(["systemd-analyze", "verify", str(here)], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if unit.name.partition("@")[0] in line]
    assert done.returncode == 0 and not said, done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not here")
def test_systemd_would_complain_of_a_unit_that_is_wrong(tmp_path):
    """The detector itself."""
    wrong = tmp_path / "wrong.service"
    wrong.write_text("[Service]\nExecStart=/nowhere/at/all\nNoSuchSetting=yes\n")
    done = subprocess.run(["systemd-analyze", "verify", str(wrong)], capture_output=True, text=True, check=False)
    assert done.returncode != 0 or "NoSuchSetting" in done.stderr


def test_the_proxies_take_the_largest_file_that_is_imported():
    """And little more: the form around it."""
    nginx = re.search(r"client_max_body_size (\d+)m;", (DEPLOY / "nginx.conf").read_text())
    caddy = re.search(r"max_size (\d+)MiB$", (DEPLOY / "Caddyfile").read_text(), re.MULTILINE)
    assert nginx and caddy
    assert {int(one[1]) << 20 for one in (nginx, caddy)} == {MOST_PACKED + (1 << 20)}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_web_server_believes_only_its_socket_about_who_asks(unit):
    text = unit.read_text()
    assert ("uvicorn" in text) == ("--fd 3 " in text) == ("--no-proxy-headers" in text)
    assert "--port" not in text and "--forwarded-allow-ips" not in text


def test_only_the_proxy_reaches_the_web_server():
    """And both proxies ask where it listens."""
    socket = (DEPLOY / "systemd/durascope-web.socket").read_text()
    assert "SocketMode=0660" in socket and "SocketUser=root" in socket
    place = re.search(r"^ListenStream=(/\S+)$", socket, re.MULTILINE)[1]
    assert f"proxy_pass http://unix:{place};" in (DEPLOY / "nginx.conf").read_text()
    assert f"reverse_proxy unix/{place}\n" in (DEPLOY / "Caddyfile").read_text()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_hold_no_secret_and_gain_no_privilege(unit):
    text = unit.read_text()
    of_redis = unit.name == "durascope-redis.service"  # it needs none of the installation's secrets
    assert ("EnvironmentFile=/etc/durascope/durascope.env" in text) != of_redis and "NoNewPrivileges=yes" in text
    assert not of_redis or "\nEnvironment=LC_ALL=C.UTF-8\n" in text, "Redis 8 needs a locale that exists"
    assert "Restart=always" in text and "CapabilityBoundingSet=" in text
    assert "\nLimitCORE=0\n" in text, "a core file would hold passwords"
    assert "\nSystemCallFilter=@system-service" in text and "\nSystemCallErrorNumber=EPERM\n" in text
    assert not set(VARIABLE.findall(text)) - {"DURASCOPE_SANDBOX_USER"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_no_unit_can_fill_the_host(unit):
    """A worker has threads for three experiments with 1,024 connections each to a server and its load."""
    text = unit.read_text()
    (memory,) = re.findall(r"^MemoryMax=(\d+)[MG%]$", text, re.MULTILINE)
    (tasks,) = re.findall(r"^TasksMax=(\d+)$", text, re.MULTILINE)
    assert int(memory) > 0 and int(tasks) >= (16384 if "worker" in unit.name else 256)
    assert ("OOMPolicy=continue" in text) == ("worker" in unit.name), "a server that is killed is a result"


def test_redis_refuses_before_its_unit_is_killed():
    redis = re.search(r"^maxmemory (\d+)mb$", (DEPLOY / "redis.conf").read_text(), re.MULTILINE)
    unit = re.search(r"^MemoryMax=(\d+)M$", (DEPLOY / "systemd/durascope-redis.service").read_text(), re.MULTILINE)
    assert int(redis[1]) * 2 <= int(unit[1])


@pytest.mark.parametrize("unit", [unit for unit in UNITS if "worker" in unit.name], ids=lambda unit: unit.name)
def test_workers_may_close_sandboxes_in(unit):
    """Without them there is no Landlock, and a server of a worker without root reads the worker's files."""
    (allowed,) = re.findall(r"^SystemCallFilter=(landlock.*)$", unit.read_text(), re.MULTILINE)
    assert allowed.split() == ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"]


def test_share_links_are_limited_by_address_and_by_link():
    nginx = (DEPLOY / "nginx.conf").read_text()
    zones = dict(re.findall(r"limit_req_zone (\S+) +zone=(\w+):", nginx))
    assert zones == {"$binary_remote_addr": "durascope_guests", "$durascope_link": "durascope_links"}
    guests = nginx.partition("location /share/ {")[2].partition("}")[0]
    assert all(f"limit_req zone={zone} " in guests for zone in zones.values()) and "proxy_pass" in guests
    pattern = re.search(r'"~(\^/share/.*?)" ', nginx)[1].replace("?<", "?P<")
    assert re.match(pattern, f"/share/{'a-_Z' * 8}/cells/1/")["token"] == "a-_Z" * 8
    assert not re.match(pattern, "/share/experiments/5/") and not re.match(pattern, "/people/")


@pytest.mark.parametrize("signal", ["HUP", "TERM", "INT"])
@pytest.mark.parametrize("during", ["stop", "restore"])
def test_what_a_restore_stopped_runs_again_however_it_ends(tmp_path, signal, during):
    """The terminal goes, or somebody ends the command, while it stops the services or restores."""
    end = f"kill -{signal} $PPID $$"
    programs = {
        "id": "echo 0",
        "systemctl": f"""[ $1 != list-units ] || exec echo durascope-web.service loaded
            echo "$*" >>{tmp_path}/told; [ {during}:$1 != stop:stop ] || {end}""",
        ".venv/bin/python": f"[ $1 != -I ] || exit 0; echo restore >>{tmp_path}/told; {end}",
    }
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    text = (DEPLOY / "durascope").read_text().replace("/opt/durascope", str(tmp_path))
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", text, "durascope", "restore", "file"], env={"PATH": path}, check=False)
    told = (tmp_path / "told").read_text().splitlines()
    assert told == ["stop durascope-web.service", *["restore"][: during == "restore"], "start durascope-web.service"]
    assert done.returncode > 0
