"""All explanations on one page, readable without scripts."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.accounts.gate import needs
from dashboard.pages.documents import tables
from dashboard.pages.help.terms import TERMS, Term, of_setting
from workers.servers.settings import SETTINGS

GLOSSARY = [(word, Term(meaning.replace("`", ""))) for word, meaning, _ in tables("glossary.md")[0]]


@needs("see", "GET")
def words(request: HttpRequest) -> HttpResponse:
    settings = [(setting.name, of_setting(setting)) for setting in SETTINGS.values()]
    known = {"settings": settings, "figures": sorted(TERMS.items()), "words": GLOSSARY}
    return render(request, "help/words.html", known)
