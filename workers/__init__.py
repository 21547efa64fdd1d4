"""What measures.

The packages below (`bench`, `servers`, `metrics`, `sandbox`, `analysis`) are the domain: they know no
Django, Celery or Redis (tests/test_architecture.py holds them to it) and take plain values. The modules
of this folder (`celery`, `tasks`, `store`, `progress`) are the shell that joins them to the dashboard.
"""
