"""What people write, checked."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from nav_eval.errors import InputError
from nav_eval_server.models import User
from nav_eval_server.queue.probe import parsed


def printable(text: str) -> str:
    """In Unicode's composed form. Raises ValidationError for characters that show nothing, or turn others round."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not text.isprintable():
        raise forms.ValidationError(_("Use letters, digits and signs that can be seen."))
    return text


class SignUp(UserCreationForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("username", "email")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["email"].required = True
        self.fields["username"].help_text = ""


class Name(forms.Form):
    """Of a new team."""

    name = forms.CharField(label=gettext_lazy("Name of the team"), min_length=2, max_length=60)

    def clean_name(self) -> str:
        return printable(self.cleaned_data["name"])


class Service(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=60, initial="a")
    protocol = forms.ChoiceField(label=gettext_lazy("Protocol"), choices=(("rest", "REST"), ("grpc", "gRPC")))
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=300,
        widget=forms.TextInput(attrs={"placeholder": "https://agent.example.org:8085", "inputmode": "url"}),
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
            parsed(url)
        except InputError:
            message = _("This is no address. Write for example https://agent.example.org:8085, or host:port.")
            raise forms.ValidationError(message) from None
        return url


class TokenName(forms.Form):
    name = forms.CharField(label=gettext_lazy("What it is for"), max_length=60)

    def clean_name(self) -> str:
        return printable(self.cleaned_data["name"])
