"""apt is kept away from this machine's own state, and its sources are read as people write them."""

import subprocess
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.builds import debian
from workers.sandbox.builds.debian import Apt, DebianSuite, Package

ONE_LINE = "deb [signed-by=/k arch=amd64] http://mirror.example/debian bookworm main contrib # ours\n"
STANZA = "# Modernized\nTypes: deb deb-src\nURIs: http://mirror.example/debian/\nSuites: trixie trixie-updates\n"
STANZA += "Components: main\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQI\n"


def archive(tmp_path: Path, **files: str) -> str:
    (tmp_path / "sources.list.d").mkdir()
    for name, text in files.items():
        (tmp_path / name.replace("__", "/").replace("_dot_", ".")).write_text(text)
    return debian.archive(tmp_path)


def test_a_source_of_one_line_is_read(tmp_path):
    assert archive(tmp_path, sources_dot_list=ONE_LINE) == "http://mirror.example/debian"


def test_a_source_as_a_stanza_is_read(tmp_path):
    name = "sources_dot_list_dot_d__debian_dot_sources"
    assert archive(tmp_path, **{name: STANZA}) == "http://mirror.example/debian"


@pytest.mark.parametrize(
    "text",
    [
        "deb http://third.example/node bookworm main\n",  # somebody else's, for Debian
        "deb http://mirror.example/debian-security bookworm-security main\n",
        "# deb http://mirror.example/debian bookworm main\n",
        "deb-src http://mirror.example/debian bookworm main\n",
        "deb http://mirror.example/debian bookworm contrib\n",
        "",
    ],
)
def test_a_source_of_another_distribution_is_not_taken_for_debians(tmp_path, text):
    with pytest.raises(SandboxError, match="--mirror"):
        archive(tmp_path, sources_dot_list=text)


def test_sources_that_apt_cannot_read_are_told(tmp_path):
    with pytest.raises(SandboxError, match="could not be read: apt-get ended with status 100"):
        archive(tmp_path, sources_dot_list="deb\n")


def test_a_source_that_is_switched_off_is_none(tmp_path):
    with pytest.raises(SandboxError, match="name no Debian archive"):
        archive(tmp_path, sources_dot_list_dot_d__debian_dot_sources=f"Enabled: no\n{STANZA}")


def test_apt_gets_everything_of_its_own(tmp_path):
    text = debian.config(tmp_path, "root", 'Acquire::http::Proxy "http://proxy";\n')
    settings = dict(line.rstrip(";").split(" ", 1) for line in text.splitlines())
    own = ("Dir::State", "Dir::State::lists", "Dir::State::status", "Dir::Cache", "Dir::Cache::archives", "Dir::Log")
    own += ("Dir::Etc::sourceparts", "Dir::Etc::parts", "Dir::Etc::preferencesparts", "Dir::State::extended_states")
    for name in own:
        assert settings[name].strip('"').startswith(str(tmp_path))
    assert settings["Dir::Etc::sourcelist"] == settings["Dir::Etc::main"] == '"/dev/null"'
    assert settings["Acquire::http::Proxy"] == '"http://proxy"'
    assert settings["APT::Install-Recommends"] == '"false"'


def test_apt_itself_reads_that_configuration(tmp_path):
    """apt-config, run with it, must see our folders and none of this machine's hooks."""
    Apt(tmp_path, "bookworm", "http://mirror.example/debian")
    env = {"APT_CONFIG": str(tmp_path / "apt.conf"), "PATH": "/usr/bin:/bin"}
    dumped = subprocess.run(["apt-config", "dump"], env=env, capture_output=True, text=True, check=True).stdout
    assert f'Dir::State::status "{tmp_path}/status";' in dumped
    assert "Post-Invoke" not in dumped
    assert (tmp_path / "status").read_text() == ""
    assert "Suites: bookworm\n" in (tmp_path / "sources/debian.sources").read_text()


def test_the_downloads_that_apt_prints_are_read():
    printed = "Reading package lists...\n'http://m/pool/l/libc6_2.36_amd64.deb' libc6_2.36_amd64.deb 27593 SHA256:"
    printed += "a" * 64 + "\n'http://m/x.deb' x_1%3a1_all.deb 10 SHA256:" + "b" * 64 + "\n"
    twice = debian.parse(printed + printed)
    assert twice == [
        Package("libc6_2.36_amd64.deb", 27593, "a" * 64),
        Package("x_1%3a1_all.deb", 10, "b" * 64),
    ]


def test_a_list_without_packages_is_an_error():
    with pytest.raises(SandboxError, match="found no packages"):
        debian.parse("Reading package lists...\n'http://m/x.deb' x.deb 10 MD5Sum:0\n")


def test_a_missing_key_or_program_is_named(monkeypatch, tmp_path):
    source = DebianSuite("bookworm", ("x",))
    monkeypatch.setattr(debian, "KEYRING", tmp_path / "no.gpg")
    assert "debian-archive-keyring" in source.missing()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs apt-get" in source.missing()
