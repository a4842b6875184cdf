"""What `nav-eval` says, in the user's language: its own packages' zh.po, the SDK's, and those of packages that bring a
command.
"""

from __future__ import annotations

from typing import Literal

from nav_eval.registry import entered
from nav_eval_sdk.chinese import Catalogue, asked_for, of_packages, own_packages

__all__ = ["asked_for", "catalogue", "language", "spoken"]


def language() -> Literal["en", "zh"]:
    """The user's, of those that texts exist in: "en" or "zh"."""
    return "zh" if asked_for() else "en"


def catalogue() -> Catalogue:
    brought = {point.module.partition(".")[0] for point in entered("nav_eval.commands")}
    ours = ("nav_eval", *own_packages())
    return of_packages(*ours, *sorted(brought - {*ours}))


def spoken(text: str) -> str:
    """The text in the user's language; as it is where that is not Chinese, or nobody has translated it."""
    return catalogue().translate(text) if asked_for() else text
