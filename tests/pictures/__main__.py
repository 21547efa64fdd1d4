"""Takes the pictures of docs/reproduction.md from the pages of an installation (DURASCOPE_HOME).

    DURASCOPE_HOME=... .venv/bin/python -m tests.pictures --to docs/pictures

Works on a copy of its database, behind share links: the installation is left as it is, and no picture tells a host.
"""

import argparse
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m tests.pictures", description=(__doc__ or "").split("\n")[0])
    arguments.add_argument("--to", required=True, type=Path, metavar="FOLDER")
    to: Path = arguments.parse_args().to
    from dashboard.home import database

    source = database()
    if not source.is_file() or not source.stat().st_size:
        print(f"There is no database {source}. Set DURASCOPE_HOME. Nothing was done.", file=sys.stderr)
        return 2
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="durascope-pictures-") as home:
        copy(source, Path(home))
        return _take_all(to)


def copy(source: Path, home: Path) -> None:
    """The database as it is now, even while it is written to, in a home of its own that this process uses."""
    theirs, ours = f"{source.absolute().as_uri()}?mode=ro", home / "durascope.sqlite3"
    with closing(sqlite3.connect(theirs, uri=True)) as old, closing(sqlite3.connect(ours)) as new:
        old.backup(new)
    (home / "staticfiles").mkdir()
    for name in [name for name in os.environ if name.startswith("DURASCOPE_")]:
        del os.environ[name]
    os.environ |= {"DURASCOPE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _take_all(to: Path) -> int:
    """Exit status 1 where one could not be taken; the others are."""
    from playwright.sync_api import sync_playwright

    from tests.pictures.take import take

    failed = 0
    with serving() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGS)
        for picture, path in addresses():
            page = browser.new_page(color_scheme="light")
            try:
                taken = take(page, site + path, picture, to)
                print(f"{taken} {taken.stat().st_size // 1000} KB")
            except Exception as wrong:
                print(f"{picture.name}: {str(wrong).splitlines()[0]}", file=sys.stderr)
                failed += 1
            page.close()
        browser.close()
    return 1 if failed else 0


def addresses() -> Iterator[tuple[object, str]]:
    """(Picture, its page behind a share link) of what was measured."""
    from django.urls import reverse

    from dashboard.reproduction.newest import newest
    from dashboard.reproduction.pictures import PICTURES
    from dashboard.sharing.actions import share

    found = newest({picture.recipe for picture in PICTURES})
    for picture in PICTURES:
        if picture.recipe in found:
            _, token = share(None, found[picture.recipe].experiment)
            yield picture, reverse("sharing:show", args=[token])


@contextmanager
def serving() -> Iterator[str]:
    """The pages on a port of this machine, in a thread of this process."""
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


if __name__ == "__main__":
    sys.exit(main())
