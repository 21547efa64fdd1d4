"""What is typed to keep experiments in order."""

from django import forms

from dashboard.records.experiments import tags
from dashboard.records.experiments.models import Comment, Experiment
from dashboard.text.names import check_name, check_text


def lines_of(text: str) -> str:
    """As it was typed: browsers send line breaks as two characters, and count them as one."""
    return text.replace("\r\n", "\n").strip()


class RenameForm(forms.Form):
    name = forms.CharField(max_length=Experiment._meta.get_field("name").max_length, validators=[check_name])


class TagsForm(forms.Form):
    tags = forms.CharField(required=False, max_length=1000)

    def clean_tags(self) -> list[str]:
        try:
            return tags.normalised(self.cleaned_data["tags"])
        except tags.NoTag as wrong:
            raise forms.ValidationError(str(wrong)) from wrong


class CommentForm(forms.Form):
    text = forms.CharField(validators=[check_text])
    confirms = forms.BooleanField(required=False)

    def clean_text(self) -> str:
        text = lines_of(self.cleaned_data["text"])
        if len(text) > Comment.MOST:
            raise forms.ValidationError(f"This comment has {len(text):,} characters; the limit is {Comment.MOST:,}.")
        return text
