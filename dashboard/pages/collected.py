"""Static files as `manage.py collectstatic` leaves them: compressed, and under names that hold a hash of what is in
them, so that browsers keep them for ever. Not collected, or older than the files of the code: the plain names are
told, which work too."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from dashboard.pages.bundles import BUNDLES, bundled


def _without_maps(patterns: Iterable[tuple[str, Iterable[object]]]) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """The library that we ship names a source map, which we do not."""
    return tuple(
        (files, tuple(one for one in found if "sourceMappingURL" not in str(one))) for files, found in patterns
    )


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Modules import each other under their hashed names too: an update is never half in a browser's cache."""

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
        """`paths`: for each name where it was collected from. Bundles are read from here instead."""
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
    """Whether nothing of `source` is newer than what was collected."""
    try:
        collected_at = manifest.stat().st_mtime_ns
    except OSError:
        return False
    return all(file.stat().st_mtime_ns <= collected_at for file in (source, *source.rglob("*")))
