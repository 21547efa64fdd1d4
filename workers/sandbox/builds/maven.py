"""An artifact of a Maven repository, fetched by Maven with its own settings."""

import fnmatch
import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox.builds.archive import unzip, verify
from workers.sandbox.builds.progress import Tell, growth, run

# 2.10 fetches the artifact only. Later versions read its POM, and the parent of MariaDB 10.1.8's was never published.
COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.10:copy"
MACHINES = ("x86_64", "amd64")
# Maven before 3.9 loads the rest of a file only with a transport that Debian has in a package of its own
# (libmaven-resolver-transport-http-java); the one it comes with begins anew.
DEBIANS_MAVEN, DEBIANS_JARS = Path("/usr/share/maven"), Path("/usr/share/java")
TRANSPORT = "maven-resolver-transport-http"
BESIDE = ("httpclient", "httpcore", "commons-codec", "jcl-over-slf4j")


@dataclass(frozen=True)
class MavenArtifact:
    """`artifact`: group:name:version:type[:classifier]. `places`: where what lies below a folder in the archive is
    put; `keep`: patterns of what is kept of it; `nested`: archives inside, and where they are unpacked."""

    artifact: str
    sha256: str
    places: Mapping[str, str] = field(default_factory=lambda: {"": ""})
    keep: tuple[str, ...] = ("*",)
    nested: Mapping[str, str] = field(default_factory=dict)
    own_libc = False

    def __str__(self) -> str:
        return f"Maven: {self.artifact}"

    def missing(self) -> str:
        """What this machine lacks to install from here; "" when nothing."""
        if platform.machine() not in MACHINES:
            return f"These binaries are for x86_64, and this machine is {platform.machine()}."
        if not shutil.which("mvn"):
            return "Maven installs this build, and mvn is not installed here. Install it: apt-get install maven"
        return ""

    def put(self, downloads: Path, root: Path, tell: Tell, mirror: str = "") -> None:
        """Download a missing archive, verify, unpack into `root`."""
        if mirror:
            raise SandboxError("--mirror applies to Debian packages only.", "Set Maven's mirrors in its settings.xml.")
        archive = self._fetch(downloads, tell)
        tell("Unpacking.")
        unzip(archive, root, self.place)
        for inside, where in self.nested.items():
            unzip_nested(archive, inside, downloads, root / where)

    def place(self, name: str) -> str | None:
        """The place of a file below the build's folder; None: it is left out."""
        for inside, where in self.places.items():
            if name.startswith(inside):
                target = where + name.removeprefix(inside)
                wanted = any(fnmatch.fnmatchcase(target, pattern) for pattern in self.keep)
                return target if wanted and "/debug/" not in target else None
        return None

    @property
    def path(self) -> Path:
        """Of the archive in a local Maven repository."""
        group, name, version, kind, *classifier = self.artifact.split(":")
        return Path(*group.split("."), name, version, "-".join((name, version, *classifier)) + f".{kind}")

    def _fetch(self, downloads: Path, tell: Tell) -> Path:
        """The verified archive. A complete one is kept; Maven continues a stopped download if it can (`continuing`)."""
        repository = downloads / "repository"
        archive = repository / self.path
        if not archive.exists():
            tell(f"Asking Maven for {self.artifact}.")
            self._maven(repository, downloads / "copied", tell)
        verify(archive, self.sha256)
        return archive

    def _maven(self, repository: Path, copied: Path, tell: Tell) -> None:
        repository.mkdir(parents=True, exist_ok=True)
        said = ("--batch-mode", "--quiet", *continuing(), f"-Dmaven.repo.local={repository}", COPY)
        what = (f"-Dartifact={self.artifact}", f"-DoutputDirectory={copied}")
        failed = "Maven could not fetch the build, and nothing was installed. Try again"
        try:
            run(["mvn", *said, *what], failed, tell=tell, progress=growth(repository), cwd=repository)
        finally:
            shutil.rmtree(copied, ignore_errors=True)


def continuing() -> tuple[str, ...]:
    """Arguments with which Debian's Maven loads only what a stopped download lacks. None where Maven does so by itself,
    is not Debian's (its parts would not fit), or the package is not installed."""
    jars = [DEBIANS_JARS / f"{name}.jar" for name in (TRANSPORT, *BESIDE)]
    mvn = shutil.which("mvn")
    debians = mvn is not None and Path(mvn).resolve().is_relative_to(DEBIANS_MAVEN)
    by_itself = any((DEBIANS_MAVEN / "lib").glob(f"{TRANSPORT}*.jar"))
    if not debians or by_itself or not all(jar.exists() for jar in jars):
        return ()
    return (f"-Dmaven.ext.class.path={':'.join(map(str, jars))}",)


def unzip_nested(archive: Path, inside: str, workshop: Path, target: Path) -> None:
    """Unpack an archive inside another one, without the packager's META-INF."""
    unzip(archive, workshop, lambda name: "nested.jar" if name == inside else None)
    try:
        unzip(workshop / "nested.jar", target, lambda name: None if name.startswith("META-INF/") else name)
    finally:
        (workshop / "nested.jar").unlink(missing_ok=True)
