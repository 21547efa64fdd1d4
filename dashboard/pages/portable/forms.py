from django import forms
from django.core.files.uploadedfile import UploadedFile
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

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        size = file.size or 0
        if size > MOST_PACKED:
            raise forms.ValidationError(
                f"The file has {size >> 20} MiB; at most {MOST_PACKED >> 20} MiB are read. Nothing was stored."
            )
        return file
