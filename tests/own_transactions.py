"""The example of docs/own-transaction.md, as its readers copy it."""

from dashboard.pages.documents import example

EXAMPLE = example("own-transaction.md")
