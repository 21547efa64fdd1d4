"""Experiments as files: docs/portable.md says what is in one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import File, Router, Status, UploadedFile

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Id
from dashboard.pages.api.resources.experiments import ExperimentOut
from dashboard.pages.portable.views import as_file
from dashboard.portable.apart import import_apart
from dashboard.records.experiments import queries
from dashboard.records.experiments.models import Experiment

router = Router()
ZIP = {"200": {"description": "A zip file", "content": {"application/zip": {"schema": {"type": "string"}}}}}


class Imported(ExperimentOut):
    """`notice` says whether it is new here or was imported before."""

    notice: str


@router.get("/experiments/{int:experiment_id}/export", auth=Token("see"), openapi_extra={"responses": ZIP})
def export_experiment(request: HttpRequest, experiment_id: Id) -> HttpResponse:
    """An experiment that is over, as one file for another installation: without hosts, accounts and paths."""
    return as_file(get_object_or_404(Experiment.objects.select_related("worker"), pk=experiment_id))


@router.post("/experiments/import", auth=Token("import"), response={200: Imported, 201: Imported})
def import_experiment(request: HttpRequest, response: HttpResponse, file: File[UploadedFile]) -> Status[object]:
    """Store the experiment of a file: 201. An experiment that was imported before is not stored again: 200."""
    assert file.file
    imported = import_apart(request.user, file.file)
    response["Location"] = reverse("api:show_experiment", args=[imported.experiment.pk])
    (shown,) = queries.with_progress(queries.listed().filter(pk=imported.experiment.pk))
    shown.notice = imported.says  # type: ignore[attr-defined]
    return Status(201 if imported.is_new else 200, shown)
