"""For `durascope shell` of an installation: the first experiment, as its worker finishes it. Prints JSON."""

import json
import time

from django.contrib.auth.models import User

from dashboard.local import demo
from dashboard.records.experiments.models import Experiment, Trial

SMALL = {"threads": "1", "repeats": "1", "warmup_s": "1", "measure_s": "1", "trials": "1", "kinds": "process-kill"}
LIMIT_S = 400

person = User.objects.get()
experiment = demo.start(demo.sandbox(person), person, SMALL, print)
until = time.monotonic() + LIMIT_S
while experiment.state in (Experiment.State.QUEUED, Experiment.State.RUNNING) and time.monotonic() < until:
    time.sleep(0.5)
    experiment.refresh_from_db()
verdicts = list(Trial.objects.filter(experiment=experiment).values_list("verdict", flat=True))
print(json.dumps({"state": experiment.state, "verdicts": verdicts}))
