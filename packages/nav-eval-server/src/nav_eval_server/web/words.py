"""Filters of the templates: names of states, figures, moments and spans of time."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from nav_eval_server.challenge import FOREVER
from nav_eval_server.notices.words import RULINGS
from nav_eval_server.web.context import language

register = template.Library()
NAMES: dict[str, Promise] = {
    "queued": gettext_lazy("queued"),
    "waiting_service": gettext_lazy("waiting for the service"),
    "running": gettext_lazy("running"),
    "scoring": gettext_lazy("scoring"),
    "done": gettext_lazy("done"),
    "failed": gettext_lazy("failed"),
    "cancelled": gettext_lazy("cancelled"),
    "void": gettext_lazy("void"),
    "pending": gettext_lazy("waiting for approval"),
    "approved": gettext_lazy("approved"),
    "blocked": gettext_lazy("blocked"),
    "upcoming": gettext_lazy("not yet open"),
    "open": gettext_lazy("open"),
    "closed": gettext_lazy("closed"),
    "ready": gettext_lazy("ready"),
    "refused": gettext_lazy("refused"),
    "wrong token": gettext_lazy("wrong token"),
    "team": gettext_lazy("team"),
    "baseline": gettext_lazy("baseline"),
    "oracle": gettext_lazy("oracle"),
    "service": gettext_lazy("service"),
    "predictions": gettext_lazy("predictions file"),
    "image": gettext_lazy("container image"),
    "dry_run": gettext_lazy("Dry run"),
    "played": gettext_lazy("played"),
    "not_ready": gettext_lazy("service not ready"),
    "interrupted": gettext_lazy("interrupted"),
    "unable": gettext_lazy("no room or engine"),
    "stopped": gettext_lazy("stopped"),
    "yielded": gettext_lazy("handed over"),
    "lost": gettext_lazy("worker lost"),
    "image_unfit": gettext_lazy("image cannot be run"),
    "image_ended": gettext_lazy("image ended"),
    "image_memory": gettext_lazy("image out of memory"),
    "image_silent": gettext_lazy("image not ready"),
}


SENSORS: dict[str, Promise] = {
    "panorama": gettext_lazy("panorama"),
    "depth": gettext_lazy("depth"),
    "none": gettext_lazy("no camera"),
    "semantics": gettext_lazy("semantics"),
    "pose": gettext_lazy("pose"),
}


METHOD: dict[str, Promise] = {
    "name": gettext_lazy("Method"),
    "affiliation": gettext_lazy("Affiliation"),
    "paper": gettext_lazy("Paper"),
    "code": gettext_lazy("Code"),
    "model_size": gettext_lazy("Model size"),
}
"""What a team says of an entry, but for its sensors."""
LINKS = ("paper", "code")


DECISIONS: dict[str, Promise] = {
    "open": gettext_lazy("waits for an answer"),
    "stands": gettext_lazy("decided: the result stands"),
    "place": gettext_lazy("decided: its place comes back"),
    "rerun": gettext_lazy("decided: run again"),
    "void": gettext_lazy("decided: void"),
}


EXIT_CODES: dict[int, Promise] = {
    0: gettext_lazy("whole"),
    1: gettext_lazy("whole, episodes failed"),
    2: gettext_lazy("configuration or data at fault"),
    3: gettext_lazy("the service was away"),
    4: gettext_lazy("a fault of the evaluator"),
    138: gettext_lazy("ended between episodes"),
    143: gettext_lazy("broken off"),
}
"""What the evaluator says by its exit code."""


@register.filter
def exit_code(rc: int) -> str:
    return str(EXIT_CODES.get(rc) or _("killed or crashed"))


@register.filter
def decided(state: str) -> str:
    """How an appeal stands, in the reader's language."""
    return str(DECISIONS.get(state, state))


@register.filter
def ruled(kind: str) -> str:
    """A decision of organisers, in the reader's language."""
    return RULINGS[kind][language()] if kind in RULINGS else kind


@register.filter
def said(name: str) -> str:
    """A state's name in the reader's language."""
    return str(NAMES.get(name, name))


@register.filter
def sensed(sensor_class: str) -> str:
    """A sensor class (nav_eval.results.sensor_class) in the reader's language; names such as RGB-D stay."""
    return " + ".join(str(SENSORS.get(part, part)) for part in sensor_class.split("+") if part) or "–"


@register.filter
def moment(value: datetime | None) -> str:
    """In the challenge's time zone, which stands below every page; programs read the offset, too."""
    if value is None:
        return "–"
    if value == FOREVER:
        return _("no end")
    there = timezone.localtime(value)
    return format_html('<time datetime="{}">{}</time>', there.isoformat(timespec="minutes"), f"{there:%Y-%m-%d %H:%M}")


@register.filter
def plain(value: datetime) -> str:
    """A moment where no markup may stand, with its weekday."""
    there = timezone.localtime(value)
    return f"{date_format(there, 'D')} {there:%m-%d %H:%M}"


@register.filter
def span(seconds: float | None) -> str:
    """Seconds, minutes, hours or days, whichever says it shortest."""
    if seconds is None:
        return "–"
    for size, unit in ((86400, _("d")), (3600, _("h")), (60, _("min"))):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    unit = _("s")
    return f"{seconds:.0f} {unit}"


@register.filter
def figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
