"""Pages of a person's tokens and of the API reference."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render

from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import account_of, needs
from dashboard.pages.api import actions, document
from dashboard.pages.api.service import scopes
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import OPERATIONS, allowed
from dashboard.text.names import check_name

EXPIRIES = ((7, "after 7 days"), (30, "after 30 days"), (90, "after 90 days"), (365, "after a year"))


class TokenForm(forms.Form):
    """Offers the scopes that the person's role allows."""

    name = forms.CharField(
        max_length=80, validators=[check_name], help_text="For example the script that uses the token."
    )
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Scopes",
        help_text="Choose only the scopes that your script needs. Crash trials need both run and crash.",
    )
    days = forms.TypedChoiceField(
        choices=EXPIRIES, coerce=int, initial=90, label="Expires", help_text="The token stops working at this time."
    )

    def __init__(self, user: Actor, data: QueryDict | None = None) -> None:
        super().__init__(data)
        offered = [scope for scope in scopes() if allowed(user, scope)]
        field = self.fields["scopes"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(scope, f"{scope}: {OPERATIONS[scope].says}") for scope in offered]
        field.initial = ["see"]


@needs("tokens", "GET")
def tokens(request: HttpRequest) -> HttpResponse:
    return _page(request, TokenForm(request.user))


@needs("tokens", "POST")
@confirmed
def make(request: HttpRequest) -> HttpResponse:
    """No redirect: this answer alone shows the token, which is stored nowhere."""
    form = TokenForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, form)
    _, text = actions.make(account_of(request), **form.cleaned_data)
    return _page(request, TokenForm(request.user), text)


@needs("tokens", "POST")
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    actions.revoke(account_of(request), get_object_or_404(account_of(request).api_tokens, pk=pk))
    messages.success(request, "The token is revoked and no longer works.")
    return redirect("tokens:list")


def _page(request: HttpRequest, form: TokenForm, text: str = "") -> HttpResponse:
    context = {"form": form, "tokens": account_of(request).api_tokens.all(), "text": text}
    response = render(request, "api/tokens.html", context)
    response["Cache-Control"] = "no-store"  # it may hold a fresh token
    return response


@needs("see", "GET")
def reference(request: HttpRequest) -> HttpResponse:
    """The reference for people, made from the OpenAPI document."""
    setup = f"export HERE={request.build_absolute_uri('/').rstrip('/')}\nexport TOKEN=durascope_..."
    context = {"groups": document.groups(), "shapes": document.shapes(), "setup": setup}
    return render(request, "api/reference.html", context)


@needs("enter", "GET")
def openapi(request: HttpRequest) -> JsonResponse:
    """Everybody may read it: it describes the product, not this installation."""
    return JsonResponse(document.openapi())
