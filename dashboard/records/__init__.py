"""Stored rows and the rules for changing them, in a package per topic. No requests, no Celery."""
