"""The web server's entry: ASGI, for the live pages' event streams."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
application = get_asgi_application()
# What was loaded stays for ever. The garbage collector would look through all of it (70 ms) every few large pages.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
