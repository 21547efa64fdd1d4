"""The field of a form for a command that a worker runs."""

from django import forms
from django.core.exceptions import ValidationError

MOST_ARGUMENTS = 64
MOST_LETTERS = 8000


class ArgvField(forms.CharField):
    """A command as a list of arguments, one per line. No shell reads it: quotes, pipes and $ have no meaning."""

    def __init__(self, *, label: str, help_text: str) -> None:
        widget = forms.Textarea(attrs={"rows": 5, "spellcheck": "false"})
        super().__init__(max_length=MOST_LETTERS, widget=widget, label=label, help_text=help_text)

    def prepare_value(self, value: object) -> object:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: object) -> list[str]:
        found = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        if len(found[0].split()) > 1:
            raise ValidationError(
                "The first line must hold only the program. Write one argument per line; no shell reads them."
            )
        if len(found) > MOST_ARGUMENTS:
            raise ValidationError(f"A command has at most {MOST_ARGUMENTS} arguments.")
        return found
