"""Values and names that decoders stumble over."""

from __future__ import annotations

import math
from typing import Any

PLACEHOLDERS = {"twice": "<<twice>>", "deep": "<<deep>>", "digits": "<<digits>>", "huge": "<<huge>>"}
"""Strings that stand for what Python's JSON writer cannot write; `documents` puts it in."""

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, -0.0, 0.5, 2**31, -(2**31), 2**63, 2**64, 10**400, -(10**400), 1e308, -1e308, 1e200,
    5e-324, math.nan, math.inf, -math.inf,
    "", " ", "0", "1", "-1", "nan", "1e999", "true", "null", "a" * 3000, "\x00", "\x1b[31m", "\ud800", "\u202e", "é",
    "\uff11\uff12", "\u0663", "北京", "मंदिर", "👩‍👩‍👧", "../../etc/passwd", "/etc/passwd", "//", ".", "~", "C:\\x",
    "%s{}", "a\nb", "<script>alert(1)</script>", "${oc.env:HOME}", "???",
    [], {}, [[]], [None], [0], [1, 2, 3], [1.5, 0.0, -2.0], [0, 0, 0, 1], [0.0, 1.0, 0.0, 0.0], ["a"], ["a", "b", "a"],
    {"": 0}, {"a": 1}, {"position": [0, 0, 0]}, [{}], [[0, 0, 0]], [[0, 0, 0], [1, 0, 0], [math.nan, 0, 0]],
    *PLACEHOLDERS.values(),
)  # fmt: skip

NAMES = (
    "", "episodes", "goals", "goals_by_category", "content", "position", "rotation", "info", "extra", "instruction",
    "path", "path_id", "scan", "scene_id", "episode_id", "object_id", "heading", "a.b", "a[0]", "__class__", "é",
    "\ud800", "self", "type", "options", "0", "trajectory", "instr_id", "inst_idx", "instruction_id",
)  # fmt: skip
