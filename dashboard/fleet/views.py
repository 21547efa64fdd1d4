from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.accounts.gate import needs
from dashboard.fleet import queries


@needs("see")
@require_safe
def workers(request: HttpRequest) -> HttpResponse:
    lines = queries.workers()
    alive = sum(line.worker.is_alive for line in lines)
    return render(request, "fleet/list.html", {"lines": lines, "alive": alive, "leases": queries.leases()})
