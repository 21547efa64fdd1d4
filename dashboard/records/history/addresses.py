"""Where the history of a track is shown."""

from urllib.parse import urlencode

from django.urls import reverse

from dashboard.records.history.models import Track


def server_page(track: Track) -> str:
    return f"{reverse('history:server', args=[track.server_id])}?{urlencode({track.kind: track.condition})}"
