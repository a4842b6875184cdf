"""What every template knows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language

from nav_eval_server import pages
from nav_eval_server.markdown import Links, html
from nav_eval_server.queue.states import Language
from nav_eval_server.settings import current

LINKS = Links("/pages/{}/", "/pages/files/{}")


def language() -> Language:
    """The reader's, of the two that we have."""
    return "zh" if (get_language() or "en").startswith("zh") else "en"


def offset(moment: datetime) -> str:
    """UTC, or UTC+08:00."""
    return f"UTC{moment.isoformat()[-6:]}".removesuffix("+00:00")


def everywhere(request: HttpRequest | None = None, links: Links = LINKS) -> dict[str, Any]:
    """`links`: where the competition's own pages are."""
    challenge = current()
    own, logo = pages.read(challenge.folder, language()), pages.logo(challenge.folder)
    shift = offset(timezone.now().astimezone(challenge.zone))
    return {
        "title": getattr(challenge.title, language()),
        "rules_sha256": challenge.rules_sha256,
        "zone": challenge.timezone if challenge.timezone == shift else f"{challenge.timezone} ({shift})",
        "offset": shift,
        "chinese": language() == "zh",
        "own_pages": pages.shown(own),
        "logo": links.file.format(logo.name) if logo else "",
        "foot": html(own[pages.FOOT].text, links) if pages.FOOT in own else "",
        "terms": own.get(pages.TERMS),
    }
