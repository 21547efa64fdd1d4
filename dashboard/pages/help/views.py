"""All explanations on one page: readable without scripts, and to be searched."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.pages.accounts.gate import needs
from dashboard.pages.help.glossary import GLOSSARY
from dashboard.pages.help.terms import TERMS, of_setting
from workers.servers.settings import SETTINGS


@needs("see")
@require_safe
def words(request: HttpRequest) -> HttpResponse:
    settings = [(setting.name, of_setting(setting)) for setting in SETTINGS.values()]
    known = {"settings": settings, "figures": sorted(TERMS.items()), "words": GLOSSARY}
    return render(request, "help/words.html", known)
