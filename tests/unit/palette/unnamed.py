"""Addresses with a view that names no operation."""

from django.http import HttpResponse
from django.urls import path

urlpatterns = [path("", lambda _: HttpResponse(), name="home")]
