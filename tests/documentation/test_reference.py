"""The reference is complete: what the code generates is on its pages, and every name that a user may write is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from documentation import commands, configuration, reference
from nav_eval.agents.registry import AGENTS
from nav_eval.config.loader import builtin_benchmarks
from nav_eval.dataset.registry import DATASETS
from nav_eval.engine.scene.formats import SCENE_FORMATS
from nav_eval.metrics.registry import METRICS
from nav_eval.registry import Registry
from nav_eval.simulator.registry import PHYSICS, SIMULATORS
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.tasks.registry import TASKS
from nav_eval_sdk.examples import BASELINES, EXAMPLES
from nav_eval_sdk.protocol.actions import ACTIONS


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in reference.forget_environment, for the time of a test."""
    for name in [name for name in reference.os.environ if name.startswith("NAV_EVAL_")]:
        monkeypatch.delenv(name)


def text(name: str) -> str:
    return (reference.PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_the_pages_are_what_the_code_says() -> None:
    old = [page for page in reference.pages() if reference.regenerated(page) != page.read_text(encoding="utf-8")]
    assert not old, "these are out of date: run `make docs` and commit them"


def parts_of(folder: Path) -> list[str]:
    pages = [page for page in reference.pages() if page.parent == folder]
    return [found["name"] for page in pages for found in reference.PART.finditer(page.read_text("utf-8"))]


def test_every_part_is_on_a_page() -> None:
    english, chinese = (
        [*parts_of(folder), *parts_of(folder.parent)] for folder in (reference.PAGES, reference.CHINESE)
    )
    assert sorted(english) == sorted(reference.GENERATED)
    assert sorted(chinese) == sorted(reference.GENERATED)


HAN, WORD = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z]{2,}")


def test_every_entry_of_a_chinese_page_is_chinese() -> None:
    pages = reference.CHINESE.glob("*.md")
    assert [f"{page.name}: {line}" for page in pages for line in english_entries(page)] == []


def english_entries(page: Path) -> list[str]:
    """Of the last cell of each row, each paragraph and each title, where it holds more than names; lists aside."""
    text = re.sub(r"(?ms)<!-- .*?-->|^(```+)[^\n]*\n.*?^\1 *$|^::: .*?$|^    options.*?$", "", page.read_text("utf-8"))
    lines = [re.sub(r"`[^`]*`|<span.*?</span>|\{ #.*?\}", "", line) for line in text.splitlines()]
    said = [line.rstrip("| ").rpartition("|")[2] if line.startswith("|") else line for line in lines]
    english = [line for line in said if len(WORD.findall(line)) > 3 and not HAN.search(line)]
    return [line for line in english if not line.startswith(("- ", "  ", "### "))]


def builtin(registry: Registry[Any]) -> set[str]:
    """Names that come with the package; other tests register their own."""
    names = registry.names()
    decorated = {name: getattr(member, "__module__", "") for name, member in registry._members.items()}
    found = decorated | registry._lazy
    return {name for name in names if found[name].startswith(("nav_eval.", "nav_eval_extras."))}


NAMES = [
    ("metrics", builtin(METRICS) | {"goals_found"}),
    ("benchmarks", set(builtin_benchmarks())),
    ("benchmarks", builtin(TASKS)),
    ("benchmarks", set(ACTIONS)),
    ("benchmarks", builtin(AGENTS) | {*EXAMPLES, *BASELINES}),
    ("benchmarks", builtin(DATASETS)),
    ("benchmarks", builtin(SIMULATORS)),
    ("benchmarks", builtin(SCENE_FORMATS)),
    ("benchmarks", builtin(PHYSICS)),
    ("sensors", builtin(SENSORS)),
]


def test_every_name_is_told() -> None:
    assert all(names for _, names in NAMES)
    named = [(page, name) for page, names in NAMES for name in names]
    assert [one for one in named if not re.search(rf"`{one[1]}`|### {one[1]} ", text(one[0]))] == []


def test_every_metric_can_be_linked_to() -> None:
    anchors = re.findall(r'\{ #(\w+) \}|id="(\w+)"', text("metrics"))
    assert {one or other for one, other in anchors} >= builtin(METRICS)


def options() -> Iterator[tuple[str, str | None]]:
    """Each command with one of its options, and what help says of it."""
    for words, (_, app) in (commands.evaluator_commands() | commands.server_commands()).items():
        for argument in app.assemble_argument_collection(parse_docstring=True):
            yield f"nav-eval {words}: {argument.names}", argument.parameter.help
    for words, command in commands.participant_commands().items():
        for action in command._actions:
            yield f"nav-eval-agent {words}: {action.dest}", action.help


def test_every_option_says_what_it_is_for() -> None:
    said = list(options())
    assert len(said) > 150
    assert [option for option, meaning in said if not meaning] == []


def test_a_token_of_this_machine_is_not_shown_by_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_AGENT_TOKEN", "very-secret")
    for command in commands.participant_commands().values():
        assert "very-secret" not in command.format_help()


def test_every_section_and_key_says_what_it_means_and_in_which_unit() -> None:
    """In nav_eval/config/schema.py."""
    keys = [key for part in configuration.parts() for key in part.keys]
    numbers = [key for key in keys if any(form.get("type") == "number" for form in key.forms)]
    assert [part.name for part in configuration.parts() if not part.about] == []
    assert [key.name for key in keys if not key.description] == []
    assert [key.name for key in numbers if not key.unit] == []
    assert [key.name for key in keys if f"`{key.name}`" not in text("configuration")] == []
    assert len(keys) > 80
