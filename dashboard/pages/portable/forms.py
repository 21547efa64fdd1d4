from django import forms
from django.utils.html import format_html

from dashboard.portable.archive import MOST_PACKED


class ImportForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text=format_html(
            "A .zip file from <em>Export as a file</em> on a result page, at most {} MiB.", MOST_PACKED >> 20
        ),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
