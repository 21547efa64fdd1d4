"""A result as Markdown, for a chat or a ticket: the answer and what it rests on."""

import re
from collections.abc import Iterable

from dashboard.findings.answer import ResultAnswer
from dashboard.findings.finding import Finding
from dashboard.findings.tested import SpelledOut

SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def markdown(
    name: str,
    found: Finding,
    answer: ResultAnswer | None,
    tested: Iterable[str],
    settings: Iterable[SpelledOut],
) -> str:
    """`found`: the finding of a result without crash trials, whose `answer` is None. The page's script adds its
    address."""
    sentences = answer.sentences if answer else found.sentences
    choice = answer.recommendation if answer else None
    reasons = (answer.cost, *choice.reasons) if answer and choice else ()
    lines = [
        f"**{_plain(name)}**",
        "",
        *map(_plain, sentences),
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
