from django import forms

from dashboard.text.names import check_name

EXPIRIES = (
    ("", "never"),
    ("1", "after 1 day"),
    ("7", "after 7 days"),
    ("30", "after 30 days"),
    ("90", "after 90 days"),
)


class ShareForm(forms.Form):
    days = forms.TypedChoiceField(
        label="Expires", choices=EXPIRIES, coerce=int, empty_value=None, required=False, initial="30",
        help_text="The link stops working at this time. You can revoke it earlier.",
    )  # fmt: skip
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=200,
        validators=[check_name],
        help_text="For example the receiver of the link. People with the link do not see the note.",
    )
    embeddable = forms.BooleanField(
        label="Other sites may show its charts",
        required=False,
        help_text="Other web pages can embed single charts of this result. Everybody who opens those pages sees them.",
    )


class NoteForm(forms.Form):
    note = forms.CharField(required=False, max_length=200, validators=[check_name])
