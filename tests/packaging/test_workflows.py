"""Workflows of a public forge: they do what the Makefile does, and publish without a password."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_a_workflow_calls_is_there(path: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    commands = [step["run"] for step in steps(path) if "run" in step]
    asked = [target for command in commands for target in re.findall(r"make ([\w-]+)", command)]
    assert {*asked} <= {*targets}
    assert all((ROOT / command).is_file() for command in commands if command.startswith(".ci/"))
    assert asked or any(command.startswith(".ci/") for command in commands)


def test_publishing_takes_no_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write", "contents": "write"}
    assert "permissions" not in jobs["build"]
