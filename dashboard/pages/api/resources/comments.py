"""Comments on experiments."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Schema, Status
from ninja.pagination import RouterPaginated
from pydantic import field_validator

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, Id, with_columns
from dashboard.pages.experiments.care_views import lines_of
from dashboard.records.experiments import care
from dashboard.records.experiments.models import Comment, Experiment
from dashboard.text.names import Text

router = RouterPaginated()


@with_columns(Comment, "experiment_id at name text confirms")
class CommentOut(Schema):
    """`name`: of the author; it stays when the account is deleted."""

    id: int


class CommentIn(Given):
    text: Text = Field(
        max_length=Comment.MOST,
        pattern=r"\S",
        examples=["The disk was replaced."],
        description="Plain text; line breaks stay.",
    )

    confirms: bool = Field(False, description="You checked the result and stand for it; its report names you.")

    @field_validator("text")
    @classmethod
    def _text(cls, text: str) -> str:
        return lines_of(text)


@router.get("/experiments/{int:experiment_id}/comments", auth=Token("see"), response=list[CommentOut])
def list_comments(request: HttpRequest, experiment_id: Id) -> QuerySet[Comment]:
    """The oldest first."""
    return get_object_or_404(Experiment, pk=experiment_id).comments.all()


@router.post("/experiments/{int:experiment_id}/comments", auth=Token("tidy"), response={201: CommentOut})
def make_comment(request: HttpRequest, experiment_id: Id, said: CommentIn) -> Status[object]:
    """Add a comment in the name of the token's owner."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    return Status(201, care.comment(request.user, experiment, said.text, said.confirms))


@router.delete("/comments/{int:comment_id}", auth=Token("remove_comment"), response={204: None})
def delete_comment(request: HttpRequest, comment_id: Id) -> None:
    """A person may delete own comments, an administrator any comment. It cannot be restored."""
    kept = Comment.objects.filter(experiment__deleted_at=None).select_related("experiment")
    care.remove_comment(request.user, get_object_or_404(kept, pk=comment_id))
