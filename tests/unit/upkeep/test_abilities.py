"""What a worker says of the builds on its host."""

import json

import pytest

from workers.bench.abilities import HostBuild
from workers.sandbox import builds
from workers.sandbox.builds import install, store
from workers.sandbox.builds.engines import ENGINES, PluginEngine
from workers.upkeep.abilities import host_builds

MYSQLD = "#!/bin/sh\necho 'mysqld  Ver 5.7.30 for Linux on x86_64 (MySQL Community Server - GPL)'\n"


@pytest.fixture
def ours(open_path, monkeypatch):
    """A build of a user's own, with a program that stands in for the server."""
    monkeypatch.setenv("DURASCOPE_BUILDS", str(open_path / "builds"))
    program = open_path / "server/bin/mysqld"
    program.parent.mkdir(parents=True)
    program.write_text(MYSQLD)
    program.chmod(0o755)
    install.add("ours", print, basedir=open_path / "server")
    return program


def test_each_build_is_described(ours):
    told = host_builds()
    assert told["ours"] == HostBuild(
        title=builds.find("ours").title,
        flavour="mysql",
        version="5.7.30",
        lacks={
            "semi-sync": f"{builds.find('ours').title} comes without semisync_master.so and semisync_slave.so. "
            "Take another build."
        },
    )
    assert "mysql-5.5.9" not in told  # nobody installed it


def test_a_build_whose_files_are_gone_is_not_told(ours):
    ours.unlink()
    assert store.installed() == ["ours"]
    assert "ours" not in host_builds()


def test_an_engine_that_cannot_run_here_says_why(ours, monkeypatch):
    monkeypatch.setitem(ENGINES, "ha_tried.so", PluginEngine("TRIED", missing=lambda: "Not on Tuesdays."))
    manifest = store.folder() / "ours" / store.MANIFEST
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"plugins": ["ha_tried.so"]}))
    assert host_builds()["ours"].missing == "Not on Tuesdays."
