from django.urls import path

from dashboard.pages.accounts import people

app_name = "people"
urlpatterns = [
    path("", people.people, name="list"),
    path("add/", people.add, name="add"),
    path("<int:pk>/", people.person, name="person"),
    path("<int:pk>/role/", people.role, name="role"),
    path("<int:pk>/deactivate/", people.deactivate, name="deactivate"),
    path("<int:pk>/activate/", people.activate, name="activate"),
    path("<int:pk>/end/", people.end, name="end"),
    path("<int:pk>/password/", people.password, name="password"),
    path("<int:pk>/factors/", people.factors, name="factors"),
    path("<int:pk>/tokens/", people.tokens, name="tokens"),
]
