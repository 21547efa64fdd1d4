"""deploy/compose.yaml: each service has no more rights than docs/containers.md says."""

import os
import re
import runpy
import subprocess

import pytest
import yaml

from dashboard.installation.home import PROJECT

DEPLOY = PROJECT / "deploy"
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
CRASH = yaml.safe_load((DEPLOY / "compose.crash.yaml").read_text())["services"]
TOLD = (PROJECT / "docs/containers.md").read_text()
VARIABLE = re.compile(r"`((?:DURASCOPE_[A-Z_]+[A-Z]|DATABASE_URL|WEB_CONCURRENCY))`")
FOLDERS = {
    "DURASCOPE_HOME",
    "DURASCOPE_BUILDS",
    "DURASCOPE_SANDBOXES",
    "DURASCOPE_SANDBOX_USER",
    "DURASCOPE_RECIPES",
}
OF_SECRETS = {"DATABASE_URL", "DURASCOPE_REDIS", "DURASCOPE_PASSWORD_KEYS", "DURASCOPE_SECRET_KEY"}
OF_A_CLONE = {"DURASCOPE_SQLITE", "DURASCOPE_DEBUG", "DURASCOPE_INSTALL", "DURASCOPE_PYTHON"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined(name):
    service = SERVICES[name]
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges"]
    assert not {"cap_add", "devices", "privileged", "pid", "user"} & service.keys()
    assert name == "secrets" or "healthcheck" in service
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert all(one.endswith(":ro") for one in service["volumes"] if ":/secrets" in one) or name == "secrets"


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_can_fill_the_host(name):
    """podman allows 2,048 threads by default: an experiment with 1,024 connections has more."""
    service = SERVICES[name]
    assert re.fullmatch(r"\d+g|\$\{DURASCOPE_WORKER_MEMORY:-\d+g\}", service["mem_limit"])
    assert service["pids_limit"] >= (16384 if name == "worker" else 1024)


def test_the_crash_worker_alone_has_more_and_each_right_is_explained():
    assert CRASH.keys() == {"worker"} and "privileged" not in CRASH["worker"]
    for right in (*CRASH["worker"]["cap_add"], *CRASH["worker"]["devices"], *CRASH["worker"]["device_cgroup_rules"]):
        assert f"`{right}`" in TOLD, right


def documented():
    """Variables in the first column of the tables of docs/settings.md, and those of the units."""
    rows = [line for line in (PROJECT / "docs/settings.md").read_text().splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in VARIABLE.findall(row.split(" | ")[0])}
    lines = (DEPLOY / "durascope.env").read_text().splitlines()
    in_file = {line.lstrip("#").partition("=")[0] for line in lines if re.match(r"#?[A-Z_]+=", line)}
    assert len(named) > 40 and len(in_file) > 10, "else the search is broken"
    return named | in_file | set(VARIABLE.findall((PROJECT / "docs/deployment.md").read_text()))


def test_every_documented_variable_can_be_set():
    """But those that the images or the service `secrets` set, and those of a clone."""
    web, of_others = SERVICES["web"]["environment"], (SERVICES[name]["environment"] for name in ("beat", "worker"))
    assert web.keys() == documented() - FOLDERS - OF_SECRETS - OF_A_CLONE
    assert all(one.keys() == web.keys() - {"WEB_CONCURRENCY"} for one in of_others)
    assert all(re.fullmatch(rf"\$\{{{name}:-[^}}]+\}}", value) for name, value in web.items()), "no default is empty"


def test_a_variable_that_is_none_is_not_set(tmp_path):
    """As the containers start: the script, with a program that prints its environment in the place of durascope."""
    told, shown = tmp_path / "durascope.env", tmp_path / "durascope"
    told.write_text("DATABASE_URL=postgresql://x\n")
    shown.write_text("#!/bin/sh\nenv")
    shown.chmod(0o755)
    script = (DEPLOY / "containers/start").read_text().replace("/secrets/durascope.env", str(told))
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DURASCOPE_LOG": "none", "DURASCOPE_SITE": "nonesuch"}
    done = subprocess.run(["sh", "-s", "doctor"], input=script, env=given, capture_output=True, text=True, check=True)
    found = done.stdout.splitlines()
    assert {"DATABASE_URL=postgresql://x", "DURASCOPE_SITE=nonesuch"} <= set(
        found
    ) and "DURASCOPE_LOG" not in done.stdout


def test_the_health_check_reads_the_secrets_as_the_start_does(tmp_path):
    """A file of somebody's own, as docs/containers.md describes it."""
    (tmp_path / "secrets").write_text("# our database\n\nDATABASE_URL='postgresql://db/x?a=1&b=2'\n")
    healthy = runpy.run_path(str(DEPLOY / "containers/healthy"))
    assert healthy["database"](str(tmp_path / "secrets")) == "postgresql://db/x?a=1&b=2"


def test_no_secret_is_written_down_and_all_images_have_one_tag():
    text = (DEPLOY / "compose.yaml").read_text()
    values = [line for line in text.splitlines() if "PASSWORD" in line or "SECRET" in line]
    assert all(re.fullmatch(r"  (\w+): \$\{\1:-none\}", line) for line in values), values
    assert not OF_SECRETS & set(re.findall(r"\w+", text))
    assert all(one["image"].endswith(":${DURASCOPE_TAG:-latest}") for one in (*SERVICES.values(), *CRASH.values()))


def test_each_image_of_the_file_is_built():
    targets = {one["image"].split("durascope-")[1].split(":")[0] for one in (*SERVICES.values(), *CRASH.values())}
    built = (DEPLOY / "containers/Containerfile").read_text()
    assert all(f" AS {target}\n" in built for target in targets)
    assert all(target in (PROJECT / "scripts/images").read_text() for target in targets)
