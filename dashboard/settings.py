"""Django settings. Everything an installation may change is an environment variable, named here and in
docs/settings.md; the defaults are those of `scripts/demo`: SQLite, a private Redis, one machine."""

import os

from django.core.management.utils import get_random_secret_key

from dashboard import environment
from dashboard.installation import log_lines
from dashboard.installation.database import databases
from dashboard.installation.home import PROJECT, forget_empty, home, redis_url, sandbox_root, secret
from dashboard.pages.accounts import sign_on

forget_empty(os.environ)
HOME = home()
DEBUG = os.environ.get("DURASCOPE_DEBUG") == "1"
SECRET_KEY = secret("secret_key", get_random_secret_key)
ALLOWED_HOSTS = os.environ.get("DURASCOPE_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
PROXIES = environment.proxies(os.environ)  # trusted to name the client's address, beside the unix socket
CSRF_TRUSTED_ORIGINS = [origin for origin in os.environ.get("DURASCOPE_ORIGINS", "").split(",") if origin]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "dashboard.pages.accounts.apps.SignOnConfig",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "dashboard.records.accounts",
    "dashboard.records.audit",
    "dashboard.records.fleet",
    "dashboard.records.servers",
    "dashboard.records.experiments",
    "dashboard.records.holds",
    "dashboard.records.sharing",
    "dashboard.records.api",
    "dashboard.records.schedules",
    "dashboard.records.notifications",
    "dashboard.records.history",
    "dashboard.pages",
    "dashboard.commands",
]
MIDDLEWARE = [
    "dashboard.pages.request_id.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "dashboard.pages.api.problems.Problems",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "dashboard.pages.accounts.refusals.Refusals",  # around all that refuses
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "dashboard.pages.accounts.sessions.Idle",
    "dashboard.pages.accounts.gate.Gate",  # denies by default
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]
ROOT_URLCONF = "dashboard.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.pages.accounts.gate.may",
                "dashboard.installation.version.version",
                "dashboard.pages.fleet.views.held_copy",
            ],
            "builtins": [f"dashboard.pages.templatetags.{name}" for name in ("entries", "everywhere", "terms")],
            "loaders": [("django.template.loaders.cached.Loader", ["django.template.loaders.filesystem.Loader"])],
        },
    }
]

DATABASES = databases(os.environ)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {  # failed logins, counted for all processes together
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "accounts_cache",
        "OPTIONS": {"MAX_ENTRIES": 20000},
    },
    "guests": {  # pages that guests made this process render
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
    **{  # of this process; invented queries cannot evict the pages without one
        name: {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "LOCATION": name,
            "TIMEOUT": None,  # an old page is shown when too many are asked for
            "OPTIONS": {"MAX_ENTRIES": 128, "CULL_FREQUENCY": 8},
        }
        for name in ("shared-pages", "shared-queries")
    },
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "dashboard.pages.api.actions.EndsTokens"},
]
AUTHENTICATION_BACKENDS = ["dashboard.pages.accounts.adapter.Backend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = os.environ.get("DURASCOPE_HTTPS") == "1"
if SESSION_COOKIE_SECURE:  # with this prefix no other host and no plain HTTP can set them
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"

ACCOUNT_ADAPTER = "dashboard.pages.accounts.adapter.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"  # administrators create accounts: no mail is sent
ACCOUNT_RATE_LIMITS = {"login": ""}  # passwords: pages.accounts.throttle; second factors: allauth
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # also to connect company sign-on; own pages: pages.accounts.confirmed
SECOND_FACTOR_FOR = environment.guarded_roles(os.environ)
IDLE_LIMIT = environment.idle_limit(os.environ)
ONE_TIME_LIMIT = environment.one_time_limit(os.environ)
MFA_ADAPTER = "dashboard.pages.accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "add_webauthn": "dashboard.pages.accounts.adapter.PasskeyForm",
    "edit_webauthn": "dashboard.pages.accounts.adapter.PasskeyNameForm",
}
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"  # a passkey alone logs in, with a finger or a PIN
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not SESSION_COOKIE_SECURE  # without TLS browsers offer passkeys on localhost only
MFA_TOTP_TOLERANCE = 1  # telephones whose clock is half a minute off
SOCIALACCOUNT_ADAPTER = "dashboard.pages.accounts.adapter.SignOnAdapter"
SIGN_ON = sign_on.company(os.environ)
SIGN_ON_ROLE = SIGN_ON.role if SIGN_ON else ""
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [SIGN_ON.app] if SIGN_ON else [], "OAUTH_PKCE_ENABLED": True}}
# Redirects to HTTPS and HSTS apply to all ports of a host name: the TLS proxy decides about them.
SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'", *(SIGN_ON.origins if SIGN_ON else ())],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
USE_THOUSAND_SEPARATOR = True

STATIC_URL = "static/"
STATICFILES_DIRS = [PROJECT / "static"]
PREPARED = PROJECT / "staticfiles"  # by deploy/install.sh, before it stops the old program
STATIC_ROOT = PREPARED if PREPARED.is_dir() else HOME / "staticfiles"
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "dashboard.pages.collected.HashedFiles"},
}

SITE = os.environ.get("DURASCOPE_SITE", "local")  # this worker measures the servers of this site
# Sandboxes: a folder that the unprivileged user below can reach; never on a shared-memory file system.
SANDBOX_ROOT = os.environ.get("DURASCOPE_SANDBOXES", sandbox_root())
SANDBOX_USER = os.environ.get("DURASCOPE_SANDBOX_USER", "")  # empty: workers.sandbox.users chooses
CRASH_PROGRAMS = environment.crash_programs(os.environ)  # programs for owners; administrators may choose any
FAILOVER_COMMAND = environment.failover_command(os.environ)
NINJA_PAGINATION_CLASS = "dashboard.pages.api.paging.Pages"  # of every list of the API
KEEP_DAYS = environment.keep_days(os.environ)  # dashboard.records.retention
RECIPES = os.environ.get("DURASCOPE_RECIPES", HOME / "recipes")  # the user's recipes, one TOML file each
REDIS_URL = redis_url()
IMPORT_APART = True  # files of experiments are read in a process of their own (dashboard.portable.apart)
ADDRESS = os.environ.get("DURASCOPE_ADDRESS", "").rstrip("/")  # of this installation, for links in messages
WEBHOOK_ALLOW = os.environ.get("DURASCOPE_WEBHOOK_ALLOW", "").split(",")  # http, private
globals().update(environment.mail_settings(os.environ))
LOGGING = log_lines.logging_settings(os.environ)
