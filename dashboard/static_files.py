"""Static files under ASGI. WhiteNoise streams them from a synchronous iterator, which Django reads whole there, with a
warning for each; our files are small, so they are answered whole."""

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFiles(WhiteNoiseMiddleware):
    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        found = static_file.get_response(request.method, request.META)
        body = b""
        if found.file is not None:
            with found.file:
                body = found.file.read()
        response = HttpResponse(body, status=int(found.status))
        del response["content-type"]  # the headers below name their own
        for name, value in found.headers:
            response[name] = value
        if body and response.status_code == 200:
            response["Content-Length"] = str(len(body))  # not that of the start: the file may have been updated since
        return response
