"""Write docs/reproduction.md from the stored results: `manage.py reproduction --to docs`.

Only Durascope's own recipes are told. Pictures are taken before it, by `python -m tests.pictures --to docs/pictures`.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from dashboard.reproduction.document import document, experiments, usable
from dashboard.reproduction.pictures import PICTURES
from dashboard.reproduction.statements import sections
from dashboard.reproduction.summary import counts, of_the_articles, sentence
from workers.bench import recipes

NAME = "reproduction.md"


class Command(BaseCommand):
    help = "Write every claim of the articles beside its measurement as a document."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", required=True, type=Path, metavar="FOLDER", help="where reproduction.md is written")

    def handle(self, *_: Any, **options: Any) -> None:
        folder: Path = options["to"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}. Nothing was written. Make it, or name another.")
        found = sections(recipes.every(), public=True)
        try:
            (folder / NAME).write_text(document(found, folder, timezone.now()))
        except OSError as refused:
            raise CommandError(f"{folder / NAME} cannot be written: {refused.strerror}. Name another folder.") from None
        self.stdout.write(f"{folder / NAME}: {sentence(counts(of_the_articles(found)))}")
        known = experiments(found)
        for picture in PICTURES:
            if picture.recipe in known and not usable(picture, known[picture.recipe], folder):
                self.stderr.write(
                    f"Left out: no picture {picture.name}.png since that experiment ended. Take it with: "
                    f"python -m tests.pictures --to {folder / 'pictures'}"
                )
