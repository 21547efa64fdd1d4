from django.urls import path

from dashboard.pages.reproduction import views

app_name = "reproduction"
urlpatterns = [
    path("", views.claims, name="claims"),
    path("claims.<str:form>", views.file, name="file"),
]
