"""A result as Markdown, for a chat or a ticket: the answer and what it rests on."""

import re
from collections.abc import Iterable

from dashboard.findings.answer import ResultAnswer
from dashboard.findings.tested import SpelledOut

SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def markdown(name: str, answer: ResultAnswer, tested: Iterable[str], settings: Iterable[SpelledOut]) -> str:
    """The page's script adds its address."""
    choice = answer.recommendation
    reasons = (answer.cost, *choice.reasons) if choice else ()
    lines = [
        f"**{_plain(name)}**",
        "",
        *map(_plain, answer.sentences),
        *([_plain(answer.doubt)] if answer.doubt else []),
        *(["", f"**{_plain(choice.choice)}**"] if choice else []),
        *(f"- {_plain(reason)}" for reason in reasons if reason),
        "",
        *(f"Tested: {_plain(line)}." for line in tested),
        *(f"- {_plain(one.name)} = `{one.settings.replace('`', '')}`{_gloss(one)}" for one in settings),
    ]
    return "\n".join(lines)


def _gloss(one: SpelledOut) -> str:
    return f": {one.gloss}" if one.gloss else ""


def _plain(text: str) -> str:
    """With every sign escaped that Markdown would interpret."""
    return SPECIAL.sub(r"\\\1", text)
