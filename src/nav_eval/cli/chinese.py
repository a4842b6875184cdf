"""What `--help` says, in Chinese where NAV_EVAL_LANG, or else the locale, asks for it. The catalogue is zh.po.

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

LOCALE = ("NAV_EVAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""The first that is set decides."""
ENTRY = re.compile(r'^msgid (".*")\nmsgstr (".*")$', re.MULTILINE)


def asked_for() -> bool:
    """Whether the user's language is Chinese."""
    language = next((os.environ[name] for name in LOCALE if os.environ.get(name)), "")
    return language.lower().startswith("zh")


@cache
def catalogue() -> Mapping[str, str]:
    """English, each run of white space one blank -> Chinese."""
    text = (files("nav_eval.cli") / "zh.po").read_text(encoding="utf-8")
    return {json.loads(english): json.loads(chinese) for english, chinese in ENTRY.findall(text)}


def spoken(text: str) -> str:
    """The text in the user's language; as it is where that is not Chinese, or nobody has translated it."""
    return catalogue().get(" ".join(text.split()), text) if asked_for() else text
