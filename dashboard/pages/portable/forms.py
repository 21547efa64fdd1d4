from typing import Any

from django import forms
from django.utils.html import format_html

from dashboard.portable.archive import MOST_PACKED


class ImportForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text=format_html(
            "As <em>Export as a file</em> on a result page writes it: .zip, at most {} MiB.", MOST_PACKED >> 20
        ),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_PACKED:
            raise forms.ValidationError(
                f"The file has {file.size >> 20} MiB; at most {MOST_PACKED >> 20} MiB are read. Nothing was stored."
            )
        return file
