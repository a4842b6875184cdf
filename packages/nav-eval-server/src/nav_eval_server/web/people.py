"""Accounts: sign up, log in, change or forget a password, the second factor, export and erasure.

Too many wrong passwords or codes for one name from one address are shut out (axes), and too many tries of any kind from
one network (rate_limit.py).
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import LoginView, PasswordChangeView, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from django.views.generic.base import ContextMixin

from nav_eval_server import privacy, second_factor, terms
from nav_eval_server.folder import Folder
from nav_eval_server.models import Notice, User
from nav_eval_server.notices.outbox import send
from nav_eval_server.settings import current
from nav_eval_server.vault import Vault
from nav_eval_server.web.forms import Accept, Code, Email, Erase, SignUp
from nav_eval_server.web.teams import person, refusals

BACKEND = "django.contrib.auth.backends.ModelBackend"
HALF = "half_logged_in"
HALF_SECONDS = 300
"""Between the password and the code."""
FRESH = "fresh_secret"
MAIL_PAUSE = timedelta(minutes=5)
"""Between two mails to one address."""


class Login(LoginView):
    template_name = "form.html"
    redirect_authenticated_user = True
    extra_context = {"heading": gettext_lazy("Log in"), "action": gettext_lazy("Log in"), "login": True}  # noqa: RUF012

    def get_default_redirect_url(self) -> str:
        user = self.request.user
        return home(user) if isinstance(user, User) else reverse("front")

    def form_valid(self, form: Any) -> HttpResponse:
        """Who has a second factor is not yet logged in."""
        user = form.get_user()
        if not user.sealed_totp:
            return super().form_valid(form)
        wanted = self.get_redirect_url() or home(user)
        self.request.session[HALF] = {"user": user.pk, "until": time.time() + HALF_SECONDS, "next": wanted}
        return redirect("code")


def home(user: User) -> str:
    return reverse("organiser" if user.is_staff else "team")


def code(request: HttpRequest) -> HttpResponse:
    """The second step of logging in."""
    half = request.session.get(HALF, {})
    user = User.objects.filter(pk=half.get("user"), is_active=True).first()
    if user is None or half["until"] < time.time():
        return redirect("login")
    form, name = Code(request.POST or None), {"username": user.username}
    if request.method == "POST" and form.is_valid():
        if not AxesProxyHandler.is_allowed(request, name):
            return render(request, "locked.html", status=429)
        if second_factor.check(user, form.cleaned_data["code"], _vault(), timezone.now()):
            del request.session[HALF]
            login(request, user, backend=BACKEND)
            return redirect(half["next"])
        user_login_failed.send(sender=__name__, credentials=name, request=request)
        form.add_error("code", _("This is not the code. Each one works once, and for about a minute."))
    told = {"form": form, "heading": gettext_lazy("Your code"), "action": gettext_lazy("Log in")}
    return render(request, "form.html", told)


def _vault() -> Vault:
    return Vault(Folder(current().folder))


class OwnTitle(ContextMixin):
    """Django's views of passwords call themselves `title`, which is the competition's on every page of ours."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        told = super().get_context_data(**more)
        told.pop("title", None)
        return told


class Password(OwnTitle, PasswordChangeView):
    template_name = "form.html"
    form_class = PasswordChangeForm
    success_url = reverse_lazy("account")
    extra_context = {"heading": gettext_lazy("Change your password"), "action": gettext_lazy("Change it")}  # noqa: RUF012


class NewPassword(OwnTitle, PasswordResetConfirmView):
    """Where a link leads that works once."""

    template_name = "form.html"
    success_url = reverse_lazy("login")
    extra_context = {"heading": gettext_lazy("Choose a new password"), "action": gettext_lazy("Keep it"), "once": True}  # noqa: RUF012


def signup(request: HttpRequest) -> HttpResponse:
    form = SignUp(request.POST or None)
    user = form.enter() if request.method == "POST" and form.is_valid() else None
    if user is not None:
        login(request, user, backend=BACKEND)
        return redirect(_next(request))
    told = {"form": form, "heading": gettext_lazy("Sign up"), "action": gettext_lazy("Sign up"), "next": _next(request)}
    return render(request, "form.html", told)


@login_required
def accept(request: HttpRequest) -> HttpResponse:
    """Terms that were changed, or came, since one signed up."""
    user = person(request)
    wanted = terms.outstanding(current(), user)
    form = Accept(wanted, request.POST or None)
    if not wanted or form.is_valid():
        if wanted:
            terms.accept(user, wanted, timezone.now())
        return redirect("team")
    told = {"form": form, "heading": gettext_lazy("The terms have changed"), "action": gettext_lazy("Go on")}
    return render(request, "form.html", told)


def _next(request: HttpRequest) -> str:
    """An invitation that was followed without an account, else the team's page; never another server's."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    return wanted if wanted.startswith("/team/join/") else reverse("team")


def forgotten(request: HttpRequest) -> HttpResponse:
    """The answer is the same whether anybody has that address."""
    form, mails = Email(request.POST or None), current().notify.mail is not None
    asked = request.method == "POST" and form.is_valid()
    if asked and mails:
        _mail_links(request, form.cleaned_data["email"])
    return render(request, "forgotten.html", {"form": form, "asked": asked, "mails": mails})


def _mail_links(request: HttpRequest, email: str) -> None:
    now, subject = timezone.now(), _("A new password for %(title)s") % {"title": current().name}
    lately = Notice.objects.filter(kind="password", at__gt=now - MAIL_PAUSE)
    for user in User.objects.filter(email__iexact=email, is_active=True):
        if not lately.filter(to=user.email).exists():
            text = _("%(name)s, choose a new password here, within a day. If you did not ask for it, do nothing.")
            body = f"{text % {'name': user.username}}\n\n{link(request, user)}\n"
            send(current(), [Notice(kind="password", to=user.email, subject=subject, body=body)])


def link(request: HttpRequest, user: User) -> str:
    """For one new password; it is void as soon as the password has changed or somebody has logged in."""
    token = default_token_generator.make_token(user)
    where = reverse("new_password", args=[urlsafe_base64_encode(force_bytes(user.pk)), token])
    return absolute(request, where)


def absolute(request: HttpRequest, path: str) -> str:
    """For a mail, or to be handed over."""
    return f"{current().address}{path}" if current().address else request.build_absolute_uri(path)


@login_required
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "account.html", {"codes_left": len(person(request).recovery)})


@login_required
def second(request: HttpRequest) -> HttpResponse:
    """Turn the second factor on: a secret for the app, then a code of it."""
    user, form = person(request), Code(request.POST or None)
    form.fields["code"].label = _("The code that the app shows now")
    if user.sealed_totp:
        return redirect("account")
    secret = request.session.setdefault(FRESH, second_factor.new_secret())
    if request.method == "POST" and form.is_valid():
        codes = second_factor.enable(user, secret, form.cleaned_data["code"], _vault(), timezone.now())
        if codes is not None:
            del request.session[FRESH]
            return render(request, "recovery.html", {"codes": codes})
        form.add_error("code", _("This is not the code. Is the clock of your phone right?"))
    uri = second_factor.uri(secret, user.username, current().name)
    words = [secret[at : at + 4] for at in range(0, len(secret), 4)]
    told = {"form": form, "secret": " ".join(words), "uri": uri, "qr_code": mark_safe(second_factor.qr_code(uri))}
    return render(request, "second.html", told)


@require_POST
@login_required
def second_off(request: HttpRequest) -> HttpResponse:
    """With a code, so that an unlocked screen is not enough."""
    user = person(request)
    if user.sealed_totp and second_factor.check(user, request.POST.get("code", ""), _vault(), timezone.now()):
        second_factor.disable(user, user.username)
    else:
        messages.error(request, _("This is not the code. Each one works once, and for about a minute."))
    return redirect("account")


@login_required
def export(request: HttpRequest) -> HttpResponse:
    return exported(person(request))


def exported(user: User) -> JsonResponse:
    answer = JsonResponse(privacy.export(user), json_dumps_params={"indent": 2, "ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="person-{user.pk}.json"'
    return answer


@login_required
def erase(request: HttpRequest) -> HttpResponse:
    """Oneself, with the password."""
    user, form = person(request), Erase(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if not user.check_password(form.cleaned_data["password"]):
            form.add_error("password", _("This is not your password."))
        else:
            with refusals(request):
                privacy.erase(current(), user, "itself")
                logout(request)
                return redirect("front")
    return render(request, "erase.html", {"form": form})
