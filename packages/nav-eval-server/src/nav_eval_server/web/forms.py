"""What people write, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from nav_eval.errors import InputError
from nav_eval_server import terms
from nav_eval_server.models import Method, Submission, User
from nav_eval_server.pages import terms_sha256
from nav_eval_server.queue.endpoints import checked_token
from nav_eval_server.queue.probe import fits, replicas
from nav_eval_server.settings import current
from nav_eval_server.visible import MAX_NAME, looks_taken, named, visible
from nav_eval_server.web.words import METHOD, sensed


def printable(text: str, most: int = MAX_NAME) -> str:
    """As visible.visible, in the reader's language. Raises ValidationError."""
    try:
        return visible(text, most)
    except InputError:
        told = _("Use visible letters, digits and signs, %(most)s at most.") % {"most": most}
        raise forms.ValidationError(told) from None


def lettered(name: str, most: int = MAX_NAME) -> str:
    """Of a team or a person, printable already. Raises ValidationError."""
    try:
        return named(name, most)
    except InputError:
        raise forms.ValidationError(_("Use one letter at least.")) from None


def number(text: str) -> int:
    """What a field holds; 0 of what is no number, or has more digits than any of ours."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


TAKEN = gettext_lazy("This name is taken. Choose another one.")


SCHEMES = gettext_lazy(
    "grpc:// and grpcs:// are addresses of gRPC services. Choose gRPC, or write http://, https:// or host:port."
)


def accepting(sha256: str) -> dict[str, forms.Field]:
    """A box to tick. Its name is of the text, so that nobody accepts one that was changed since they were shown it."""
    label = format_html('{} <a href="{}">{}</a>', _("I accept:"), reverse("page", args=["terms"]), _("Terms"))
    return {f"terms-{sha256[:16]}": forms.BooleanField(label=label, label_suffix="")} if sha256 else {}


class Accept(forms.Form):
    """Terms that were changed."""

    def __init__(self, sha256: str, *args: Any) -> None:
        super().__init__(*args)
        self.fields |= accepting(sha256)


class SignUp(UserCreationForm):  # type: ignore[type-arg]
    """It says when a name is taken, whatever its case, as names are shown anyhow; of addresses it says nothing."""

    class Meta:
        model = User
        fields = ("username", "email")
        error_messages = {"username": {"unique": TAKEN}}  # noqa: RUF012

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["email"].required = True
        self.fields["username"].help_text = ""
        self.terms = terms_sha256(current().folder)
        self.fields |= accepting(self.terms)

    def clean_username(self) -> str:
        name: str = super().clean_username() or ""
        if name and looks_taken(name, User.objects.values_list("username", flat=True)):
            raise forms.ValidationError(str(TAKEN))
        return lettered(printable(name, 150), 150) if name else name

    def enter(self) -> User | None:
        """The new account; None if, since the form was checked, somebody else was entered under this name."""
        try:
            user: User = self.save()
        except IntegrityError:
            self.add_error("username", str(TAKEN))
            return None
        if self.terms:
            terms.accept(user, self.terms, timezone.now())
        return user


class Name(forms.Form):
    """Of a new team."""

    name = forms.CharField(label=gettext_lazy("Name of the team"), min_length=2, max_length=60)

    def clean_name(self) -> str:
        return lettered(printable(self.cleaned_data["name"]))


class Service(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=60, initial="a")
    protocol = forms.ChoiceField(label=gettext_lazy("Protocol"), choices=(("rest", "REST"), ("grpc", "gRPC")))
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=1000,
        help_text=gettext_lazy("Of replicas of one agent: each in a line of its own, 8 at most."),
        widget=forms.Textarea(attrs={"placeholder": "https://agent.example.org:8085", "inputmode": "url", "rows": 2}),
    )
    token = forms.CharField(
        label=gettext_lazy("Its token, if it asks for one"),
        max_length=300,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )

    def clean_name(self) -> str:
        return printable(self.cleaned_data["name"])

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            replicas(url)
        except InputError:
            message = _("This is not an address. Write for example https://agent.example.org:8085, or host:port.")
            raise forms.ValidationError(message) from None
        return url

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or self.cleaned_data
        if "url" in told and "protocol" in told and not fits(told["url"], told["protocol"]):
            self.add_error("url", str(SCHEMES))
        return told

    def clean_token(self) -> str:
        try:
            return checked_token(self.cleaned_data["token"])
        except InputError:
            raise forms.ValidationError(_("A token is printable ASCII on one line.")) from None


class About(forms.ModelForm):  # type: ignore[type-arg]
    """What boards and its page say of an entry."""

    class Meta:
        model = Method
        fields = ("name", "affiliation", "paper", "code", "model_size", "sensors")
        labels: ClassVar = {**METHOD, "sensors": gettext_lazy("Sensors that it uses")}
        help_texts: ClassVar = {"model_size": gettext_lazy("such as 7B")}

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        known = [(name, sensed(name)) for name in current().conditions.sensor_classes]
        names = ", ".join(name for name, _ in known)
        self.fields["sensors"] = forms.ChoiceField(
            choices=[("", "–"), *known],
            required=False,
            label=self.fields["sensors"].label,
            error_messages={"invalid_choice": _("Choose one of these: %(names)s.") % {"names": names}},
        )

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or self.cleaned_data
        for name, value in list(told.items()):
            try:
                told[name] = printable(value, 300) if value else ""
            except forms.ValidationError as error:
                self.add_error(name, error)
        return told

    def keep(self) -> Method:
        """Once it is valid."""
        return Method.objects.update_or_create(submission=self.instance.submission, defaults=self.cleaned_data)[0]


def describe(submission: Submission, changes: Mapping[str, str]) -> Method:
    """Change what is said of an entry; what is not among the changes stays. Raises InputError."""
    with transaction.atomic():
        Submission.objects.select_for_update().get(pk=submission.pk)  # who says another part now waits
        own = Method.objects.filter(submission=submission).first() or Method(submission=submission)
        form = About({**own.told, **changes}, instance=own)
        if not form.is_valid():
            raise InputError(" ".join(f"{name}: {said[0]}" for name, said in form.errors.items()))
        return form.keep()


class TokenName(forms.Form):
    name = forms.CharField(label=gettext_lazy("What it is for"), max_length=60)

    def clean_name(self) -> str:
        return printable(self.cleaned_data["name"])


class Code(forms.Form):
    """Of an app, or a recovery code."""

    code = forms.CharField(
        label=gettext_lazy("Code of your app, or a recovery code"),
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code"}),
    )


class Email(forms.Form):
    email = forms.EmailField(label=gettext_lazy("E-mail address"), max_length=254)


class Erase(forms.Form):
    password = forms.CharField(label=gettext_lazy("Your password"), max_length=300, widget=forms.PasswordInput)
