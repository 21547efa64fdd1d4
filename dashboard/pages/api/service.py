"""The API as a whole. A new resource is a new file in `resources` and one line in ROUTERS."""

import json
from collections.abc import Iterator

from django.http import HttpRequest
from ninja import NinjaAPI, Router
from ninja.operation import Operation
from ninja.parser import Parser

from dashboard.installation.version import VERSION
from dashboard.pages.api.door import Token, nobody
from dashboard.pages.api.problems import HANDLERS
from dashboard.pages.api.resources import (
    audit,
    comments,
    experiments,
    figures,
    files,
    fleet,
    imports,
    links,
    recipes,
    reviews,
    schedules,
    servers,
    trials,
)
from dashboard.portable.strict_json import no_number, storable
from dashboard.records.accounts.roles import OPERATIONS

ROUTERS: dict[str, Router] = {
    "Servers": servers.router,
    "Servers from files": imports.router,
    "Audit": audit.router,
    "Recipes": recipes.router,
    "Before a start": reviews.router,
    "Experiments": experiments.router,
    "Comments": comments.router,
    "Experiments as files": files.router,
    "Trials": trials.router,
    "Charts and history": figures.router,
    "Schedules": schedules.router,
    "Share links": links.router,
    "Workers and builds": fleet.router,
}


class StrictParser(Parser):
    """ninja answers each exception of a parser with 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, object]:
        found: dict[str, object] = json.loads(request.body, parse_constant=no_number)
        storable(found)
        return found


class DurascopeAPI(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """A short name for functions of generated clients."""
        return operation.view_func.__name__


api = DurascopeAPI(
    title="Durascope",
    version=VERSION,
    description="Is a commit safe, and what does that safety cost? See docs/api.md.",
    urls_namespace="api",
    openapi_url=None,
    docs_url=None,
    auth=nobody,  # for an operation without `auth`
    parser=StrictParser(),
)
for title, router in ROUTERS.items():
    api.add_router("", router, tags=[title])
for failure, handler in HANDLERS.items():
    api.add_exception_handler(failure, handler)


def operations() -> Iterator[tuple[str, Operation]]:
    """Each operation of the API, with the name of its operation in the table of roles; "" if it has none."""
    # Private: ninja 1.7 has no public list of its operations. tests/unit/api/test_api_roles.py fails if it is renamed.
    for bound in api._get_bound_routers():
        for view in bound.path_operations.values():
            for one in view.operations:
                yield next((door.operation for door in one.auth_callbacks if isinstance(door, Token)), ""), one


def scopes() -> list[str]:
    """The scopes of tokens: all operations that the API, an action or /metrics asks for, in the order of the table of
    roles."""
    asked = {scope for scope, _ in operations()} | {"any_program", "monitor"}
    return [operation for operation in OPERATIONS if operation in asked]
