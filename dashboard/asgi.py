"""The entry of the web server. uvicorn receives and sends in its event loop. A few permanent threads make whole pages,
as under WSGI, and keep their connections to the database. Measured (docs/research/speed.md): Django's own ASGI handler
takes 2.6 times the processor time for a shared page, and 80 slow visitors block gunicorn."""

import gc
import os
from importlib import import_module

import django
from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from dashboard.installation import usable
from dashboard.pages.forwarded import Forwarded
from dashboard.pages.whole import Whole

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

THREADS = 32  # requests at once; a request to a distant sign-on service may take seconds

gc.disable()  # until everything is loaded
django.setup()
usable.check_or_exit()
pages = WSGIMiddleware(get_wsgi_application(), THREADS)  # type: ignore[arg-type]  # its own types of WSGI
application = Forwarded(Whole(pages), settings.PROXIES)  # type: ignore[arg-type]  # its own types of ASGI
# Loaded modules stay. Without `freeze` the garbage collector would scan them (70 ms) every few large pages.
import_module(settings.ROOT_URLCONF)
gc.freeze()
gc.enable()
