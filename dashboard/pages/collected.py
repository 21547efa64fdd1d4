"""Static files after `manage.py collectstatic`: compressed, with a hash of the content in the name, so browsers can
cache them for ever. If they are missing or older than the source files, pages use the plain names."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from dashboard.pages.bundles import BUNDLES, bundled


def _without_maps(patterns: Iterable[tuple[str, Iterable[object]]]) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """Our copy of Chart.js names a source map that we do not ship."""
    return tuple(
        (files, tuple(one for one in found if "sourceMappingURL" not in str(one))) for files, found in patterns
    )


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Modules also import hashed names, so a browser never mixes two versions."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 20  # modules that import modules
    patterns = _without_maps(CompressedManifestStaticFilesStorage.patterns)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        manifest = Path(self.location) / self.manifest_name
        self._is_fresh = all(is_fresh(manifest, Path(source)) for source in settings.STATICFILES_DIRS)

    def post_process(
        self, paths: Mapping[str, tuple[Storage, str]], dry_run: bool = False, **options: object
    ) -> Iterator[object]:
        """`paths`: name -> source. Bundles are stored here first and then read from here."""
        if dry_run:
            return

        def read(name: str) -> str:
            storage, path = paths[name]
            with storage.open(path) as file:
                text: bytes = file.read()
            return text.decode()

        made = {name: bundled(name, read) for name in BUNDLES if name in paths}
        for name, text in made.items():
            self.delete(name)
            self.save(name, ContentFile(text.encode()))
        here = {name: (self, name) for name in made}
        yield from super().post_process({**paths, **here}, dry_run, **options)

    def stored_name(self, name: str) -> str:
        return str(super().stored_name(name)) if self._is_fresh else name


def is_fresh(manifest: Path, source: Path) -> bool:
    """Whether no file in `source` is newer than the collected files."""
    try:
        collected_at = manifest.stat().st_mtime_ns
    except OSError:
        return False
    return all(file.stat().st_mtime_ns <= collected_at for file in (source, *source.rglob("*")))
