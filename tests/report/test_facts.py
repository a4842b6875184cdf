"""What Python decides is told to the pages once, and no script names it a second time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import nav_eval.report
import nav_eval_server
from nav_eval.core.types import OURS, Status
from nav_eval.report.cause import CAUSES
from nav_eval.report.facts import PARTICIPANTS, facts_script
from nav_eval.report.outcome import OUTCOMES
from nav_eval.report.page import SCRIPTS, joined_scripts
from nav_eval.report.track import CODES
from nav_eval.report.verdict import few
from nav_eval.report.words import words
from nav_eval.results.statistics import FEW_SCENES

STATIC = Path(str(nav_eval.report.__file__)).parent / "static"
SERVERS = Path(str(nav_eval_server.__file__)).parent / "web" / "static"
ELSEWHERE = {"success", "other"}
"""Outcomes whose names are also a metric's and a word for anything else."""


def told() -> dict[str, Any]:
    lines = re.findall(r"^export const (\w+) = (.*);$", facts_script(), re.MULTILINE)
    return {name: json.loads(value) for name, value in lines}


def test_the_page_has_what_python_has() -> None:
    facts = told()
    assert facts["OUTCOMES"] == list(OUTCOMES)
    assert facts["CAUSES"] == list(CAUSES)
    assert facts["ACTIONS"] == {code: name for name, code in CODES.items()}
    assert {*facts["NEAR"], *facts["LOST"], *facts["NO_FAILURE"]} <= {*OUTCOMES}
    assert {*facts["UNPLACED"]} <= {*CAUSES}
    assert {*PARTICIPANTS, *OURS, "ok", "budget_exceeded"} == {*get_args(Status)}
    assert all(f"const {name} = " in joined_scripts() for name in facts)


def test_no_script_names_an_outcome_a_cause_or_a_status() -> None:
    names = {*OUTCOMES, *CAUSES, *get_args(Status)} - ELSEWHERE
    quoted = re.compile(rf"""(["'`])(?:{"|".join(names)})\1""")
    scripts = [path for folder in (STATIC, SERVERS) for path in folder.rglob("*.js") if not path.match("words.*.js")]
    assert len(scripts) > 30
    found = {path.name: quoted.findall(path.read_text(encoding="utf-8")) for path in scripts}
    assert {name: quotes for name, quotes in found.items() if quotes} == {}


def test_no_script_makes_a_fact_of_its_own() -> None:
    texts = {name: (STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS if (STATIC / name).exists()}
    again = [(name, fact) for name, text in texts.items() for fact in told() if f"const {fact} " in text]
    assert again == []


def test_every_outcome_cause_and_status_has_its_words() -> None:
    for language in ("en", "zh"):
        known = words(language)
        lacking = [f"outcome.{name}" for name in OUTCOMES if f"outcome.{name}" not in known]
        lacking += [key for name in CAUSES for key in (f"cause.{name}", f"cause.{name}.why") if key not in known]
        lacking += [f"status.{name}" for name in (*PARTICIPANTS, *OURS) if f"status.{name}" not in known]
        assert lacking == []


def test_from_how_many_buildings_on_is_said_where_it_is_decided() -> None:
    assert FEW_SCENES == 5
    assert few("en", 3) == "3 buildings say nothing about other buildings: use five or more."
    assert few("zh", 3) == "3 座建筑不足以说明其他建筑的情形：至少要五座。"
    assert few("en", FEW_SCENES) is None
    assert told()["MIN_BUILDINGS"] == {"en": "five", "zh": "五"}
    for language, number in told()["MIN_BUILDINGS"].items():
        of_buildings = (words(language)[key] for key in ("interval.others", "verdict.few"))
        assert not [text for text in of_buildings if number in text or str(FEW_SCENES) in text]
