"""All explanations on one page, and what no result can tell. Readable without scripts."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.accounts.gate import needs
from dashboard.pages.documents import chapters
from dashboard.pages.help.terms import GLOSSARY, GROUPS, LEFT_OUT, of_setting
from workers.servers.settings import SETTINGS

LIMITS = chapters("limits.md")


@needs("see", "GET")
def words(request: HttpRequest) -> HttpResponse:
    settings = [(setting.name, of_setting(setting)) for setting in SETTINGS.values()]
    groups = [
        (name, sorted(terms.items(), key=lambda one: one[0].lower()))
        for name, terms in GROUPS.items()
        if name not in (GLOSSARY, LEFT_OUT)
    ]
    known = {"settings": settings, "groups": groups, "words": GROUPS[GLOSSARY].items()}
    return render(request, "help/words.html", known)


@needs("enter", "GET")
def limits(request: HttpRequest) -> HttpResponse:
    """Also for guests of share links: it tells nothing about this installation."""
    return render(request, "help/limits.html", {"chapters": LIMITS})
