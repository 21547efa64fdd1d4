"""No login: /health says only yes or no, and /metrics asks for a token."""

from django.urls import path

from dashboard.pages.monitoring import views

urlpatterns = [
    path("health", views.is_ready, name="health"),
    path("health/live", views.is_alive, name="health-live"),
    path("health/<slug:check>", views.has, name="health-check"),
    path("metrics", views.metrics, name="metrics"),
]
