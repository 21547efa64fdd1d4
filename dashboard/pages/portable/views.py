from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.utils.text import slugify

from dashboard.pages.accounts.gate import needs
from dashboard.portable.apart import import_apart
from dashboard.portable.archive import MOST_PACKED
from dashboard.portable.refused import NoFile, NotImported
from dashboard.portable.write import file_of
from dashboard.records.experiments.models import Experiment


class ImportForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text=format_html(
            "A .zip file from <em>Export as a file</em> on a result page, at most {} MiB.", MOST_PACKED >> 20
        ),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )


@needs("see", "GET")
def export(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = get_object_or_404(Experiment.objects.select_related("worker"), pk=pk)
    try:
        return as_file(experiment)
    except NoFile as refused:
        messages.error(request, str(refused))
        return redirect("experiments:show", pk)


def as_file(experiment: Experiment) -> HttpResponse:
    """Raises NoFile."""
    response = HttpResponse(file_of(experiment), content_type="application/zip")
    name = f"experiment-{experiment.pk}-{slugify(experiment.recipe or experiment.state)}.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Encoding"] = "identity"  # GZipMiddleware must not compress it again
    return response


@needs("import", "GET", "POST")
def import_page(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if form.is_valid():
        try:
            imported = import_apart(request.user, form.cleaned_data["file"].file)
        except NotImported as refused:
            form.add_error("file", str(refused))
        else:
            tell = messages.success if imported.is_new else messages.info
            tell(request, imported.says)
            return redirect("results:page", imported.experiment.pk)
    return render(request, "portable/import.html", {"form": form}, status=422 if form.errors else 200)
