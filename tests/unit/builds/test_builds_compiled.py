"""An engine that is compiled here: who may, what is told meanwhile, and what is left when it fails."""

import dataclasses
import os
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.builds import compiled, progress
from workers.sandbox.builds.catalogue import CATALOGUE
from workers.sandbox.builds.compiled import CompiledEngine, percent
from workers.sandbox.builds.debian import Apt, DebianSuite, Package

TOKUDB = CATALOGUE["mariadb-10.5-tokudb"].source


def test_only_root_may(monkeypatch):
    monkeypatch.setattr(DebianSuite, "missing", lambda self: "")
    monkeypatch.setattr(compiled.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "only root may do" in TOKUDB.missing()


def test_missing_namespaces_are_reported(monkeypatch):
    monkeypatch.setattr(DebianSuite, "missing", lambda self: "")
    monkeypatch.setattr(compiled.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(compiled, "ALONE", ("false",))
    assert "SYS_ADMIN" in TOKUDB.missing()
    monkeypatch.setattr(compiled, "ALONE", ("env",))
    assert TOKUDB.missing() == ""


def test_another_kind_of_machine_is_refused_by_its_name(monkeypatch):
    monkeypatch.setattr(compiled.platform, "machine", lambda: "aarch64")
    assert "this machine is aarch64" in TOKUDB.missing()


def test_compiling_tells_its_progress_and_keeps_the_output(tmp_path, monkeypatch, told):
    monkeypatch.setattr(progress, "TELL_EVERY_S", 0.02)
    go_on = tmp_path / "go on"
    script = f"echo '[  7%] Building'; while [ ! -e '{go_on}' ]; do sleep 0.05; done; echo done; exit 3"

    def tell(line: str) -> None:
        told.append(line)
        go_on.touch()

    log = tmp_path / "log"
    with pytest.raises(SandboxError, match="ended with status 3"):
        progress.run(["sh", "-c", script], "Nothing", tell=tell, progress=lambda: percent(log), log=log)
    assert told == ["compiled: 7 %"]
    assert (tmp_path / "log").read_text() == "[  7%] Building\ndone\n"


def test_a_program_that_is_not_there_is_named(tmp_path, told):
    with pytest.raises(SandboxError, match="failed to execute no-such-program"):
        progress.run(["no-such-program"], "Nothing", log=tmp_path / "log")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store_folder: Path) -> CompiledEngine:
    """Packages and source come at once; the root is entered by a program of the test's own, `enter`."""

    def put(self: DebianSuite, downloads: Path, root: Path, tell: object, mirror: str = "") -> None:
        server = root / "usr/sbin/mysqld"
        server.parent.mkdir(parents=True)
        server.touch()
        (root / "lib/x86_64-linux-gnu").mkdir(parents=True)
        (root / "lib/x86_64-linux-gnu/ld-2.31.so").touch()

    def source(self: Apt, name: str, tell: object) -> list[Package]:
        (self.archives / "s.dsc").write_text(name)
        return [Package("s.dsc", 1, "")]

    monkeypatch.setattr(DebianSuite, "put", put)
    monkeypatch.setattr(Apt, "source", source)
    monkeypatch.setattr(compiled, "ALONE", ("env",))
    monkeypatch.setattr(compiled, "ENTER", tmp_path / "enter.sh")
    (tmp_path / "workshop/root").mkdir(parents=True)
    (tmp_path / "downloads").mkdir()
    return dataclasses.replace(TOKUDB, tree_mib=1)


def put(engine: CompiledEngine, tmp_path: Path, enter: str) -> Path:
    (tmp_path / "enter.sh").write_text(enter)
    root = tmp_path / "workshop/root"
    engine.put(tmp_path / "downloads", root, lambda line: None, "http://mirror.example/debian")
    return root


def test_the_compiled_plugin_lies_with_the_plugins_of_the_server(engine, tmp_path):
    root = put(engine, tmp_path, 'cat "$1/build/s.dsc" "$1/build/$2" > "$1/build/ha_tokudb.so"; stat -c %a "$1/.."')
    made = (root / "usr/lib/mysql/plugin/ha_tokudb.so").read_text()
    assert made.startswith("mariadb-10.5#!/bin/sh"), "the source package and our script were there"
    assert (tmp_path / "downloads/compile.log").read_text() == "700\n", "nobody else may enter meanwhile"
    assert list((tmp_path / "workshop").iterdir()) == [root]


def test_a_failure_says_the_last_words_and_leaves_nothing(engine, tmp_path):
    with pytest.raises(SandboxError, match="ended with status 2: no such header") as failed:
        put(engine, tmp_path, "echo no such header; exit 2")
    assert "compile.log" in failed.value.fix
    assert [path.name for path in (tmp_path / "workshop").iterdir()] == ["root"]


def test_a_full_disk_is_said_first(engine, tmp_path):
    with pytest.raises(SandboxError, match="The disk is full"):
        put(dataclasses.replace(engine, tree_mib=1 << 30), tmp_path, "exit 0")
    assert not (tmp_path / "downloads/archives").exists()


@pytest.mark.parametrize("engine", [e.source for e in CATALOGUE.values() if isinstance(e.source, CompiledEngine)])
def test_every_compiled_engine_has_its_recipe(engine):
    names = [path.name for path in engine.recipe_files]
    assert compiled.SCRIPT in names and any(name.endswith(".patch") for name in names)
    script = next(path for path in engine.recipe_files if path.name == compiled.SCRIPT).read_text()
    assert f"strip --strip-unneeded -o {engine.made} " in script
    assert compiled.ENTER.is_file()
