"""What Python decides and the page must know, as a module of its scripts: static/ names none of it a second time."""

from __future__ import annotations

import json
from typing import get_args

from nav_eval.core.types import OURS, Status
from nav_eval.report.cause import CAUSES, UNPLACED
from nav_eval.report.figures import MIN_PUBLIC
from nav_eval.report.outcome import LOST, NEAR, NO_FAILURE, OUTCOMES, UNSCORED, WON
from nav_eval.report.track import CODES
from nav_eval.report.words import NUMERALS, numeral
from nav_eval.results.statistics import FEW_SCENES

FACTS = "facts.js"
"""What the modules of static/ import this one as; it is made here, and no file."""
PARTICIPANTS = tuple(status for status in get_args(Status) if status not in ("ok", "budget_exceeded", *OURS))
"""How an episode ends that counts as the agent's failure."""


def facts_script() -> str:
    """The module: a constant a line."""
    known = {
        "OUTCOMES": OUTCOMES,
        "WON": WON,
        "UNSCORED": UNSCORED,
        "NO_FAILURE": NO_FAILURE,
        "NEAR": NEAR,
        "LOST": LOST,
        "CAUSES": CAUSES,
        "UNPLACED": UNPLACED,
        "PARTICIPANTS": PARTICIPANTS,
        "OURS": OURS,
        "ACTIONS": {code: name for name, code in CODES.items()},
        "MIN_BUILDINGS": {language: numeral(language, FEW_SCENES) for language in NUMERALS},
        "MIN_PUBLIC": MIN_PUBLIC,
    }
    lines = (f"export const {name} = {json.dumps(value)};\n" for name, value in known.items())
    return "// What Python decides, written by nav_eval.report.facts.\n\n" + "".join(lines)
