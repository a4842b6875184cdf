"""What `--help` says, in Chinese where NAV_EVAL_LANG, or else the locale, asks for it.

The catalogue is zh.po beside this module, and a file of that name at the top of each package that brings a command.

The messages of a run stay English: they hold names and numbers, the documentation quotes them, and people search for
them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from nav_eval.registry import entered

LOCALE = ("NAV_EVAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""The first that is set decides."""
ENTRY = re.compile(r'^msgid (".*")\nmsgstr (".*")$', re.MULTILINE)


def asked_for() -> bool:
    """Whether the user's language is Chinese."""
    language = next((os.environ[name] for name in LOCALE if os.environ.get(name)), "")
    return language.lower().startswith("zh")


def language() -> str:
    """The user's, of those that texts exist in: "en" or "zh"."""
    return "zh" if asked_for() else "en"


@cache
def catalogue() -> Mapping[str, str]:
    """English, each run of white space one blank -> Chinese."""
    packages = {"nav_eval.cli", *(point.module.partition(".")[0] for point in entered("nav_eval.commands"))}
    found = [
        file.read_text(encoding="utf-8") for file in (files(name) / "zh.po" for name in packages) if file.is_file()
    ]
    return {json.loads(english): json.loads(chinese) for text in found for english, chinese in ENTRY.findall(text)}


def spoken(text: str) -> str:
    """The text in the user's language; as it is where that is not Chinese, or nobody has translated it."""
    return catalogue().get(" ".join(text.split()), text) if asked_for() else text
