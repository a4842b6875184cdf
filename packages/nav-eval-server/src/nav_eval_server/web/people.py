"""Accounts: sign up and log in. Too many wrong passwords for one name from one address are shut out (axes), and too
many tries of any kind from one network (knocking.py)."""

from __future__ import annotations

from django.contrib.auth import login
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext_lazy

from nav_eval_server.models import User
from nav_eval_server.web.forms import SignUp

BACKEND = "django.contrib.auth.backends.ModelBackend"


class Login(LoginView):
    template_name = "form.html"
    redirect_authenticated_user = True
    extra_context = {"heading": gettext_lazy("Log in"), "action": gettext_lazy("Log in"), "login": True}  # noqa: RUF012

    def get_default_redirect_url(self) -> str:
        user = self.request.user
        return reverse("organiser" if isinstance(user, User) and user.is_staff else "team")


class Password(PasswordChangeView):
    template_name = "form.html"
    form_class = PasswordChangeForm
    success_url = reverse_lazy("front")
    extra_context = {"heading": gettext_lazy("Change your password"), "action": gettext_lazy("Change it")}  # noqa: RUF012


def signup(request: HttpRequest) -> HttpResponse:
    form = SignUp(request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, form.save(), backend=BACKEND)
        return redirect(_next(request))
    told = {"form": form, "heading": gettext_lazy("Sign up"), "action": gettext_lazy("Sign up"), "next": _next(request)}
    return render(request, "form.html", told)


def _next(request: HttpRequest) -> str:
    """An invitation that was followed without an account, else the team's page; never another server's."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    return wanted if wanted.startswith("/team/join/") else reverse("team")
