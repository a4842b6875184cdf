"""Django's settings, made from a challenge: constants here, and `configure` for what its folder decides."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nav_eval.errors import ConfigError, InputError
from nav_eval.variables import DATABASE_PASSWORD_FILE
from nav_eval_server.folder import Folder

if TYPE_CHECKING:
    from nav_eval_server.challenge import Challenge

INSTALLED_APPS = (
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "nav_eval_server.apps.Competition",
)
MIDDLEWARE = (
    "nav_eval_server.web.headers.headers",
    "nav_eval_server.api.problems.problems",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
)
PAGES = Path(__file__).parent / "web"
TEMPLATES = (
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PAGES / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "nav_eval_server.web.context.everywhere",
            ],
            "libraries": {"competition": "nav_eval_server.web.words"},
        },
    },
)
LANGUAGES = (("en", "English"), ("zh-hans", "简体中文"))
LOCALE_PATHS = (PAGES / "locale",)
STATIC_URL = "/static/"
STATICFILES_DIRS = (PAGES / "static",)
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 100_000}}}
LOGIN_URL = "login"
LOGOUT_REDIRECT_URL = "front"
AUTHENTICATION_BACKENDS = ("axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend")
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
"""Both together: nobody can lock an organiser out from elsewhere, nor a laboratory behind one address itself."""
AXES_LOCKOUT_TEMPLATE = "locked.html"
AXES_VERBOSE = False
PASSWORD_RESET_TIMEOUT = 86400
AUTH_USER_MODEL = "competition.User"
AUTH_PASSWORD_VALIDATORS = (
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
)
ROOT_URLCONF = "nav_eval_server.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
SECRET_KEY = "replaced by configure, and only mypy's plug-in meets it"
HOSTS = ("localhost", "127.0.0.1", "[::1]")
SQLITE = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"


def configure(challenge: Challenge, *, lock_seconds: float = 30.0, keep_seconds: float = 0.0) -> None:
    """Settings of this process, once; `current` gives the challenge from then on.

    `lock_seconds`: so long it waits for an SQLite that another process writes. `keep_seconds`: so long a thread keeps
    its connection to one, which takes as long to open as a small page to make.
    """
    import django
    from django.conf import settings

    folder = Folder(challenge.folder)
    constants = {name: value for name, value in globals().items() if name.isupper()}
    settings.configure(
        **constants
        | {
            "SECRET_KEY": folder.secret("django.key"),
            "CHALLENGE": challenge,
            "DATABASES": {"default": {"CONN_MAX_AGE": keep_seconds} | database(challenge, lock_seconds)},
            "ALLOWED_HOSTS": [*HOSTS, *challenge.web.hosts],
            "CSRF_TRUSTED_ORIGINS": [f"https://{host}" for host in challenge.web.hosts],
            "DATA_UPLOAD_MAX_MEMORY_SIZE": challenge.web.upload_mb << 20,
        }
    )
    django.setup()


def current() -> Challenge:
    """The challenge of this process."""
    from django.conf import settings

    challenge: Challenge = getattr(settings, "CHALLENGE")  # noqa: B009 - the stubs know Django's own settings only
    return challenge


def database(challenge: Challenge, lock_seconds: float = 30.0) -> dict[str, Any]:
    """SQLite takes the lock for writing when a transaction begins, so that none fails half-way for want of it."""
    if challenge.database is None:
        options = {"transaction_mode": "IMMEDIATE", "timeout": lock_seconds, "init_command": SQLITE}
        name = Folder(challenge.folder).database
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": name, "OPTIONS": options}
    return postgres(challenge.database)


def postgres(url: str) -> dict[str, Any]:
    """Django's words for a `database:` of challenge.yaml, the password from its file where one is named."""
    import dj_database_url

    try:
        found = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    except ValueError:
        found = {}
    if found.get("ENGINE") != "django.db.backends.postgresql":
        raise ConfigError("database: is not a postgresql://USER@HOST/NAME.")
    file = DATABASE_PASSWORD_FILE.get()
    return found | ({"PASSWORD": _password(Path(file))} if file else {})


def _password(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{DATABASE_PASSWORD_FILE}: {file}: cannot be read ({error}).") from None
