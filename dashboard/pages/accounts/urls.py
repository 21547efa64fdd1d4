"""Login, own account and company sign-on: the views of allauth under its names, each with its operation. Views that are
not listed (sign-up, mail addresses, resets by mail) do not exist."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount import views as sign_on
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.openid_connect import views as openid
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from dashboard.pages.accounts import sessions
from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import needs

registry.load()
open_to_all, own = needs("enter"), needs("own_account")

second_factors = [
    path("", own(mfa.index), name="mfa_index"),
    path("reauthenticate/", own(mfa.reauthenticate), name="mfa_reauthenticate"),
    path("app/add/", own(totp.activate_totp), name="mfa_activate_totp"),
    path("app/remove/", own(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("codes/", own(recovery.view_recovery_codes), name="mfa_view_recovery_codes"),
    path("codes/renew/", own(recovery.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path("codes/download/", own(recovery.download_recovery_codes), name="mfa_download_recovery_codes"),
    path("passkeys/", own(passkeys.list_webauthn), name="mfa_list_webauthn"),
    path("passkeys/add/", own(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path("passkeys/reauthenticate/", own(passkeys.reauthenticate_webauthn), name="mfa_reauthenticate_webauthn"),
    path("passkeys/<int:pk>/edit/", own(passkeys.edit_webauthn), name="mfa_edit_webauthn"),
    path("passkeys/<int:pk>/remove/", own(passkeys.remove_webauthn), name="mfa_remove_webauthn"),
]
company = [
    path("", own(confirmed(sign_on.connections)), name="socialaccount_connections"),
    path("cancelled/", open_to_all(sign_on.login_cancelled), name="socialaccount_login_cancelled"),
    path("failed/", open_to_all(sign_on.login_error), name="socialaccount_login_error"),
    path("new/", open_to_all(sign_on.signup), name="socialaccount_signup"),
    path("<slug:provider_id>/login/", open_to_all(openid.login), name="openid_connect_login"),
    path("<slug:provider_id>/callback/", open_to_all(openid.callback), name="openid_connect_callback"),
]
urlpatterns = [
    path("login/", open_to_all(account.login), name="account_login"),
    path("login/second/", open_to_all(mfa.authenticate), name="mfa_authenticate"),
    path("login/passkey/", open_to_all(passkeys.login_webauthn), name="mfa_login_webauthn"),
    path("login/inactive/", open_to_all(account.account_inactive), name="account_inactive"),
    path("logout/", open_to_all(LogoutView.as_view(next_page="account_login")), name="account_logout"),
    path("password/", own(account.password_change), name="account_change_password"),
    path("password/first/", own(account.password_set), name="account_set_password"),
    path("password/confirm/", own(account.reauthenticate), name="account_reauthenticate"),
    path("second-factors/", include(second_factors)),
    path("sessions/", sessions.own, name="own_sessions"),
    path("sessions/<int:pk>/end/", sessions.end, name="end_session"),
    path("sessions/end-others/", sessions.end_others, name="end_other_sessions"),
    path("sign-on/", include(company)),
]
