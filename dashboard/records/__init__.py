"""What is stored and what may happen to it, in a package per topic. No request, no Celery."""
