"""Celery's own settings."""

from django.conf import settings
from kombu.entity import Exchange, Queue

from dashboard.records.fleet import site_names

broker_url = settings.REDIS_URL.replace("unix://", "redis+socket://", 1)
broker_connection_retry_on_startup = True
broker_transport_options = {
    "visibility_timeout": 7 * 24 * 3600,  # a claim in the database prevents doubles
    # A page must not wait for a Redis that is down: sending gives up at once, and housekeeping sends again.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.2,
}
task_ignore_result = True
task_serializer = "json"
accept_content = ["json"]
worker_hijack_root_logger = False
worker_pool = "threads"
worker_concurrency = 4
worker_prefetch_multiplier = 1
worker_cancel_long_running_tasks_on_connection_loss = False  # Redis may restart in mid-run
beat_schedule = {
    "nights": {"task": "workers.tasks.watch_nights", "schedule": 60.0, "options": {"expires": 60}},
    "retention": {"task": "workers.tasks.thin_out", "schedule": 3600.0, "options": {"expires": 3600}},
    "history": {"task": "workers.tasks.keep_history", "schedule": 60.0, "options": {"expires": 60}},
}
beat_schedule_filename = str(settings.HOME / "beat-schedule")
timezone = "UTC"
imports = ["workers.tasks", "workers.upkeep.heartbeat", "workers.upkeep.periodic"]
task_default_queue = site_names.ANYBODY
task_queues = [Queue(name, Exchange(name), name) for name in site_names.heard(settings.SITE)]
