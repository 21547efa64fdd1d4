"""An artifact comes whole and as pinned, or not at all. mvn is a program of the test's."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from workers.errors import SandboxError
from workers.sandbox.builds import maven
from workers.sandbox.builds.archive import unpack, unzip, verify
from workers.sandbox.builds.maven import MavenArtifact


def jar(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return made.getvalue()


INNER = jar(share__english__errmsg=b"messages", **{"META-INF__MANIFEST": b"x"})
JAR = jar(linux__bin__mysqld=b"#!/bin/sh\n", linux__share__a=b"a", windows__mysqld=b"MZ", inner=INNER)
PINNED = hashlib.sha256(JAR).hexdigest()


def artifact(sha256: str = PINNED) -> MavenArtifact:
    return MavenArtifact("org.test:server:1.0:jar", sha256, places={"linux/": ""}, nested={"inner": ""})


@pytest.fixture
def mvn(tmp_path, monkeypatch):
    """Returns a function that makes an mvn which delivers these bytes, or fails."""
    monkeypatch.setattr(maven.platform, "machine", lambda: "x86_64")
    (tmp_path / "path").mkdir()
    (tmp_path / "jar").write_bytes(JAR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/usr/bin:/bin")

    def make(delivers: bytes = JAR, status: int = 0) -> Path:
        (tmp_path / "jar").write_bytes(delivers)
        script = f"""#!/bin/sh
echo "$@" >> {tmp_path}/asked
for said; do
    case "$said" in -Dmaven.repo.local=*) to="${{said#*=}}/org/test/server/1.0" ;; esac
done
mkdir -p "$to"
[ {status} = 0 ] || exit {status}
cp {tmp_path}/jar "$to/server-1.0.jar"
"""
        (tmp_path / "path/mvn").write_text(script)
        (tmp_path / "path/mvn").chmod(0o755)
        return tmp_path / "asked"

    return make


def test_the_servers_files_of_an_artifact_are_unpacked(mvn, tmp_path, told):
    asked = mvn()
    artifact().put(tmp_path / "downloads", tmp_path / "root", told.append)
    root = tmp_path / "root"
    found = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    assert found == ["bin/mysqld", "share/a", "share/english/errmsg"]
    assert (root / "bin/mysqld").stat().st_mode & 0o777 == 0o755
    assert (root / "share/a").stat().st_mode & 0o777 == 0o644
    assert "-Dartifact=org.test:server:1.0:jar" in asked.read_text()


def test_a_downloaded_artifact_is_not_asked_for_again(mvn, tmp_path, told):
    asked = mvn()
    for root in ("one", "two"):
        artifact().put(tmp_path / "downloads", tmp_path / root, told.append)
    assert len(asked.read_text().splitlines()) == 1


def test_another_file_is_refused_and_deleted(mvn, tmp_path, told):
    mvn()
    with pytest.raises(SandboxError, match=f"has the checksum {PINNED}, not {'0' * 64}"):
        artifact("0" * 64).put(tmp_path / "downloads", tmp_path / "root", told.append)
    assert not list((tmp_path / "downloads").rglob("*.jar"))
    assert not (tmp_path / "root").exists()


def test_a_torn_download_is_refused_and_fetched_again(mvn, tmp_path, told):
    mvn(JAR[:100])
    with pytest.raises(SandboxError, match="it is damaged"):
        artifact().put(tmp_path / "downloads", tmp_path / "root", told.append)
    mvn()
    artifact().put(tmp_path / "downloads", tmp_path / "root", told.append)
    assert (tmp_path / "root/bin/mysqld").exists()


def test_the_last_output_of_maven_is_told(mvn, tmp_path, told):
    mvn(status=1)
    with pytest.raises(SandboxError, match=r"nothing was installed\. Try again: mvn ended with status 1"):
        artifact().put(tmp_path / "downloads", tmp_path / "root", told.append)


def test_a_missing_program_or_another_machine_is_named(mvn, tmp_path, monkeypatch):
    mvn()
    assert artifact().missing() == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt-get install maven" in artifact().missing()
    monkeypatch.setattr(maven.platform, "machine", lambda: "aarch64")
    assert "this machine is aarch64" in artifact().missing()


def test_a_debian_mirror_is_not_mavens(tmp_path, told):
    with pytest.raises(SandboxError, match=r"settings\.xml"):
        artifact().put(tmp_path, tmp_path / "root", told.append, mirror="http://mirror.example/debian")


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil"])
def test_an_archive_with_a_path_outside_its_folder_is_refused(tmp_path, name):
    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(name, "x")
    with pytest.raises(SandboxError, match="outside"):
        unzip(archive, tmp_path / "root", lambda inside: inside)
    assert not (tmp_path / "evil").exists()


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    archive, link = tmp_path / "evil.zip", zipfile.ZipInfo("bin/mysqld")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(link, "/bin/sh")
    with pytest.raises(SandboxError, match="outside"):
        unzip(archive, tmp_path / "root", lambda inside: inside)


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    with pytest.raises(SandboxError, match="not a complete tarball or zip"):
        unpack(tmp_path / "text", tmp_path / "root")


def test_a_file_that_is_right_stays(tmp_path):
    (tmp_path / "jar").write_bytes(JAR)
    verify(tmp_path / "jar", PINNED)
    assert (tmp_path / "jar").exists()


@pytest.fixture
def debian(tmp_path, monkeypatch):
    """A Debian with its Maven, and every part that lets it go on inside a file; returns the folder."""
    maven_home, jars = tmp_path / "debian/maven", tmp_path / "debian/java"
    for folder in (maven_home / "bin", maven_home / "lib", jars, tmp_path / "bin"):
        folder.mkdir(parents=True)
    (maven_home / "bin/mvn").touch(mode=0o755)
    (tmp_path / "bin/mvn").symlink_to(maven_home / "bin/mvn")
    for name in (maven.TRANSPORT, *maven.BESIDE):
        (jars / f"{name}.jar").touch()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(maven, "DEBIANS_MAVEN", maven_home)
    monkeypatch.setattr(maven, "DEBIANS_JARS", jars)
    return tmp_path


def test_debians_maven_goes_on_inside_a_file_with_the_package_for_it(debian):
    (argument,) = maven.continuing()
    named = argument.removeprefix("-Dmaven.ext.class.path=").split(":")
    assert [Path(jar).stem for jar in named] == [maven.TRANSPORT, *maven.BESIDE]


@pytest.mark.parametrize("lacking", [maven.TRANSPORT, *maven.BESIDE])
def test_without_any_of_its_parts_it_is_left_as_it_is(debian, lacking):
    (maven.DEBIANS_JARS / f"{lacking}.jar").unlink()
    assert maven.continuing() == ()


def test_a_maven_that_can_by_itself_is_left_as_it_is(debian):
    (maven.DEBIANS_MAVEN / "lib" / f"{maven.TRANSPORT}-1.9.jar").touch()
    assert maven.continuing() == ()


def test_a_maven_of_ones_own_is_left_as_it_is(debian):
    (debian / "bin/mvn").unlink()
    (debian / "bin/mvn").touch(mode=0o755)
    assert maven.continuing() == ()


def test_without_maven_there_is_nothing_to_go_on_with(debian):
    (debian / "bin/mvn").unlink()
    assert maven.continuing() == ()
