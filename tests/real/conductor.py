"""Not a test: a worker process that conducts one experiment. `python -m tests.real.conductor ID`"""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
django.setup()

from workers.conducting.conduct import conduct  # noqa: E402 - needs Django
from workers.upkeep.heartbeat import heartbeat  # noqa: E402

conduct(int(sys.argv[1]), heartbeat.start())
