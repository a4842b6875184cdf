"""The specification's own text against the product: its examples are cut out of it, never retyped.

docs/specification.md lists its sections and quotes its examples. What needs the text itself, which is no part of the
project, is skipped where that is absent.
"""

from __future__ import annotations

import ast
import http.client
import inspect
import json
import pkgutil
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

import nav_eval
import nav_eval_sdk
from documentation.pages import ROOT
from nav_eval.cli import main
from nav_eval.core.interfaces import AgentClient
from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError
from nav_eval.metrics.adapted import as_metric
from nav_eval.metrics.registry import METRICS
from nav_eval.runs.plan import resolved
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.registry import SIMULATORS
from nav_eval.tasks.registry import TASKS
from nav_eval.testing import fake_context, fake_walk
from nav_eval_sdk import TestClient, VLNAgent, start
from nav_eval_sdk.protocol.messages import EpisodeData, InitialObservation
from patience import until
from recordings import SHARED_DATA
from rooms import write_room
from specification import PAGE, QUOTES, SECTION_9, sections

PAGES = [PAGE, PAGE.parent / "zh" / PAGE.name]
ROW = re.compile(r"(?m)^\| (\d+(?:\.\d+)?) [^|]*\|([^|]*)\|")


TEXT = SHARED_DATA.parent / "design" / "spec.zh.md"


@pytest.fixture(scope="module")
def text() -> str:
    if not TEXT.is_file():
        pytest.skip(f"no specification at {TEXT}")
    return TEXT.read_text(encoding="utf-8")


def names(section: str) -> dict[str, list[str]]:
    """Method -> its parameters, of an example that lists `- name(parameters) → answer`."""
    found = re.findall(r"(?m)^- (\w+)\(([^)]*)\)", QUOTES[section])
    return {name: [word.strip() for word in given.split(",") if word.strip()] for name, given in found}


def test_every_example_of_the_page_is_the_specifications(text: str) -> None:
    printed = sections(text)
    assert len(QUOTES) == 9
    for section, example in QUOTES.items():
        assert example in printed[section], section


@pytest.mark.parametrize("page", PAGES if TEXT.is_file() else PAGES[:1], ids=["en", "zh"][: 1 + TEXT.is_file()])
def test_every_section_has_its_row(text: str, page: Path) -> None:
    printed = sections(text)
    leaves = [one for one in printed if not any(other.startswith(f"{one}.") for other in printed)]
    assert [section for section, _ in ROW.findall(page.read_text(encoding="utf-8"))] == leaves


@pytest.mark.parametrize("page", PAGES, ids=["en", "zh"])
def test_what_the_page_names_exists(page: Path) -> None:
    places = page.read_text(encoding="utf-8").replace("`nav_eval.v1`", "")
    modules = set(re.findall(r"`(nav_eval(?:_sdk)?(?:\.\w+)+)`", places))
    files = set(re.findall(r"`((?:tests|benchmarks)(?:/[\w.]+)+)`", places))
    assert len(modules) > 30
    assert len(files) > 8
    for name in modules:
        pkgutil.resolve_name(name)
    assert {file for file in files if not (ROOT / file).exists()} == set()


@pytest.mark.parametrize(
    ("section", "cls"), [("3.1", nav_eval.Evaluation), ("3.2", nav_eval.Simulator), ("3.4", AgentClient)]
)
def test_the_printed_names_take_the_printed_arguments(section: str, cls: type) -> None:
    assert len(names(section)) >= 3
    for name, parameters in names(section).items():
        inspect.signature(getattr(cls, name)).bind(None, *parameters)


def test_a_class_of_the_printed_metric_interface_measures() -> None:
    lines = [f"    def {name}({', '.join(['self', *given])}): return 1.0" for name, given in names("3.3").items()]
    made: dict[str, Any] = {}
    exec("class Printed:\n" + "\n".join(lines), made)
    metric = as_metric("printed", made["Printed"])()
    metric.reset_metric(fake_context())
    for step in fake_walk(steps=2):
        metric.update_metric(step, {})
    assert metric.get_metric() == 1.0


def test_every_metric_task_and_simulator_of_its_lists_is_there(text: str) -> None:
    def listed(section: str, pattern: str) -> set[str]:
        (body,) = re.findall(rf"(?ms)^### {section} (.*?)(?=^### )", text)
        return {re.sub("[ -]", "_", name.lower()) for name in re.findall(pattern, body)}

    metrics = listed("3.3", r"(?m)^\| \*\*([^*]+)\*\*")
    assert metrics == {"success", "spl", "soft_spl", "navigation_error", "dtw", "coverage"}
    assert metrics <= {*METRICS}
    assert listed("6.1", r"(?m)^- ([\w-]+) \(") <= {*TASKS}
    assert listed("6.3", r"(?m)^- (\w+) \(") == {"custom", "unity", "external"} <= {*SIMULATORS}


VALUES: dict[str, Any] = {
    "episode_id": "ep_001",
    "scene_id": "room0.glb",
    "start_position": [-2.0, 0.0, -2.0],
    "start_rotation": [0.0, 0.0, 0.0, 1.0],
    "text": "Walk to the sofa.",
    "tokens": ["walk", "to", "the", "sofa"],
    "reference_path": [[-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0]],
    "goals": [{"position": [-2.0, 0.1, 2.0], "radius": 0.2}],
}


def filled(shape: Any) -> Any:
    """The printed structure with values in place of types."""
    if isinstance(shape, list):
        return [filled(part) for part in shape]
    maps = (list, dict)
    return {
        name: filled(part) if isinstance(part, maps) and name == "instruction" else VALUES[name]
        for name, part in shape.items()
    }


def episode_file(folder: Path, **changes: Any) -> Path:
    episode = filled(yaml.safe_load(QUOTES["3.5"])) | changes
    path = folder / "episodes.json"
    kept = {name: value for name, value in episode.items() if value is not None}
    path.write_text(json.dumps({"episodes": [kept]}), encoding="utf-8")
    return path


def test_the_printed_episode_is_read(tmp_path: Path) -> None:
    path = episode_file(tmp_path)
    assert isinstance(json.loads(path.read_text())["episodes"][0]["instruction"], list)
    assert validate_dataset(path).faults == []
    (episode,) = load_dataset("vln", path)
    assert episode.instruction is not None
    assert (episode.instruction.text, list(episode.instruction.tokens)) == (VALUES["text"], VALUES["tokens"])


@pytest.mark.parametrize("parts", [[{"text": "Go."}, {"text": "Stay."}], [], ["Go."]])
def test_two_instructions_are_not_one(tmp_path: Path, parts: list[Any]) -> None:
    with pytest.raises(DatasetError, match=r"ep_001: episodes\[0\]\.instruction: expected an object"):
        list(load_dataset("vln", episode_file(tmp_path, instruction=parts)))


@pytest.mark.parametrize("kind", ["vln", "pointnav"])
@pytest.mark.parametrize("without", [{"instruction": None}, {"instruction": None, "reference_path": None}])
def test_a_vln_task_without_instructions_is_refused_in_words_that_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str, without: Any
) -> None:
    world = write_room(tmp_path)
    given = [f"dataset.data_path={episode_file(tmp_path, **without)}", f"dataset.type={kind}", *world[1:2]]
    code = command(monkeypatch, "run", "vln-demo", *given, "agent_service.agent=stop", "--out", str(tmp_path / "run"))
    told = capsys.readouterr().err
    assert code == 2
    assert "instruction" in told
    assert "pointnav" not in told
    assert not (tmp_path / "run").exists()


def command(monkeypatch: pytest.MonkeyPatch, *words: str) -> object:
    monkeypatch.setattr("sys.argv", ["nav-eval", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


class Printed(VLNAgent):
    """Answers what the specification prints."""

    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing."""

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        (answer,) = re.findall(r"return (\{.*\})", QUOTES["4.3"])
        return ast.literal_eval(answer)  # type: ignore[no-any-return]


def test_the_printed_agent_is_one() -> None:
    for name, parameter in re.findall(r"def (\w+)\((\w+): Dict\)", QUOTES["4.3"]):
        inspect.signature(getattr(nav_eval_sdk.VLNAgent, name)).bind(None, **{parameter: {}})
    with start(Printed, port=0) as server, closing(TestClient(server.endpoint)) as client:
        until(lambda: client.health().status == "ready", "the agent to be loaded")
        client.reset(EpisodeData(episode_id="ep_001", scene_id="scene_123"))
        assert client.act({}).action == "move_forward"


def test_the_printed_request_is_answered_as_printed() -> None:
    request, answer = re.findall(r"(?ms)^\{.*?^\}", QUOTES["4.1"])
    body = json.loads(request.replace(", ...", ""))
    with start(Printed, port=0).wait_loaded() as server:
        connection = http.client.HTTPConnection(server.endpoint, timeout=10)
        (path,) = re.findall(r"(?m)^POST (\S+)$", QUOTES["4.1"])
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        status = connection.getresponse()
        assert (status.status, json.loads(status.read())["status"]) == (200, "ready")
    fields = set(json.loads(answer.replace("{...}", "{}")))
    assert fields <= {*InitialObservation.__struct_fields__}
    assert {*body} <= {*EpisodeData.__struct_fields__}


def test_the_printed_service_is_part_of_ours() -> None:
    ours = (Path(nav_eval_sdk.__file__).parent / "protocol" / "inference.proto").read_text(encoding="utf-8")
    printed = re.findall(r"service \w+|rpc [^;]+;", QUOTES["4.2"])
    assert len(printed) == 4
    assert [line for line in printed if line not in ours] == []


def test_a_checkout_runs_section_9_after_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("challenge.yaml").write_text(SECTION_9, encoding="utf-8")
    assert command(monkeypatch, "generate", "data", "--config", "challenge.yaml") == 0
    assert "data/datasets/vln/R2R/val_seen.json.gz" in capsys.readouterr().out
    with resolved(benchmark_config(None, file="challenge.yaml")) as plan:
        assert plan.config.dataset.split == "val_seen"
        assert len(plan.episodes) == 18
        assert all(episode.instruction for episode in plan.episodes)
    assert command(monkeypatch, "generate", "data", "--config", "challenge.yaml") == 2
    assert "exists already" in capsys.readouterr().err
