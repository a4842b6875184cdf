"""The sample agents do what they promise, the heuristic on real R2R, the VLM agent against an endpoint of our own."""

from __future__ import annotations

import base64
import io
import json
import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.dataset.connectivity import NavigationGraph
from nav_eval.geometry import wrap_angle, yaw_towards
from nav_eval_sdk.examples.forward import ForwardAgent
from nav_eval_sdk.examples.graph_heuristic import GraphHeuristicAgent, read_cues
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_sdk.examples.vlm import VlmAgent

DISCRETE = {name: {"arguments": {}} for name in ("stop", "move_forward", "turn_left", "turn_right")}
GRAPH = {"stop": {"arguments": {}}, "move_to": {"arguments": {"viewpoint": {"kind": "node"}}}}


def episode(text: str = "Walk to the door.", space: Any = None, seed: int = 0) -> dict[str, Any]:
    return {"instruction": {"text": text}, "action_space": space or DISCRETE, "seed": seed}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Turn left and walk.", [(90, 0)]),
        ("Go slightly right.", [(-45, 0)]),
        ("The table on your left is brown.", []),
        ("Turn around, then go up the stairs.", [(180, 0), (0, 1)]),
        ("Walk downstairs. Walk around the sofa.", [(0, -1)]),
        ("", []),
        ("走到厨房", []),
    ],
)
def test_direction_words(text: str, expected: list[tuple[int, int]]) -> None:
    assert [(round(math.degrees(cue.turn)), cue.climb) for cue in read_cues(text)] == expected


def candidates(graph: NavigationGraph, node: str, yaw: float) -> list[dict[str, Any]]:
    here = graph.positions[node]
    rows = []
    for other, length in graph.neighbours[node].items():
        there = graph.positions[other]
        flat = math.hypot(there[0] - here[0], there[2] - here[2])
        heading = wrap_angle(yaw_towards(here, there) - yaw)
        rows.append({"viewpoint": other, "heading": heading, "elevation": math.atan2(there[1] - here[1], flat)})
        rows[-1]["distance"] = length
    return rows


def test_the_heuristic_beats_random_on_r2r_by_more_than_its_interval(shared_data: Path) -> None:
    """Random's SR is .147 in conventions 4; ours must be above it with the whole of its Wilson interval."""
    paths = json.loads((shared_data / "r2r" / "R2R_val_seen.json").read_text())
    graphs: dict[str, NavigationGraph] = {}
    agent = GraphHeuristicAgent()
    tried = reached = 0
    for path in paths:
        scan = path["scan"]
        graph = graphs.setdefault(scan, NavigationGraph.load(shared_data / "r2r" / "connectivity", scan))
        for text in path["instructions"]:
            agent.reset(episode(text, GRAPH))
            node = path["path"][0]
            for _ in range(30):
                seen = {"viewpoint": node, "navigable": candidates(graph, node, -path["heading"])}
                action = agent.act(seen)
                if action == "stop":
                    break
                node = action["action_args"]["viewpoint"]  # type: ignore[index]
            tried += 1
            reached += graph.distances_from(node).get(path["path"][-1], math.inf) < 3.0
    rate, z = reached / tried, 1.96
    middle = (rate + z * z / (2 * tried)) / (1 + z * z / tried)
    half = z * math.sqrt(rate * (1 - rate) / tried + z * z / (4 * tried * tried)) / (1 + z * z / tried)
    assert tried == 1021
    assert middle - half > 0.147 + 0.02


def test_the_heuristic_stops_where_nothing_leads_on() -> None:
    agent = GraphHeuristicAgent()
    agent.reset(episode(space=GRAPH))
    assert agent.act({"viewpoint": "a", "navigable": []}) == "stop"


def test_random_repeats_itself_for_a_seed() -> None:
    def play(seed: int) -> list[Any]:
        agent = RandomAgent()
        agent.reset(episode(seed=seed))
        return [agent.act({}) for _ in range(50)]

    assert play(1) == play(1) != play(2)
    assert set(play(1)) <= set(DISCRETE)


def test_random_and_forward_move_along_graphs() -> None:
    nodes = [{"viewpoint": "side", "heading": 1.5}, {"viewpoint": "ahead", "heading": -0.1}]
    for agent in (RandomAgent(), ForwardAgent()):
        agent.reset(episode(space=GRAPH))
        answers = [agent.act({"viewpoint": "x", "navigable": nodes}) for _ in range(80)]
        assert "stop" in answers
        named = {answer["action_args"]["viewpoint"] for answer in answers if isinstance(answer, dict)}
        assert named <= {"side", "ahead"}
        assert agent.act({"viewpoint": "x", "navigable": []}) == "stop"


class Endpoint(BaseHTTPRequestHandler):
    """OpenAI's chat endpoint as far as the agent needs it; answers what the test put in `replies`."""

    replies: list[str] = []  # noqa: RUF012
    asked: list[dict[str, Any]] = []  # noqa: RUF012

    def log_message(self, *arguments: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
        answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": self.replies.pop(0)}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("VLM_API_KEY", "secret")
    Endpoint.replies, Endpoint.asked = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def test_the_vlm_agent_shows_the_image_and_takes_the_number(endpoint: str) -> None:
    from PIL import Image

    agent = VlmAgent(endpoint, "model-x")
    agent.reset(episode("Walk to the 门."))
    Endpoint.replies = ["2", "Action 1.", "0"]
    rgb = np.full((48, 64, 3), 200, np.uint8)
    assert [agent.act({"rgb": rgb}) for _ in range(3)] == ["turn_left", "move_forward", "stop"]
    first = Endpoint.asked[0]
    assert (first["path"], first["key"], first["model"]) == ("/v1/chat/completions", "Bearer secret", "model-x")
    text, image = first["messages"][1]["content"]
    assert "Walk to the 门." in text["text"]
    data = base64.b64decode(image["image_url"]["url"].partition("base64,")[2])
    assert Image.open(io.BytesIO(data)).size == (64, 48)
    assert "turn left" in Endpoint.asked[1]["messages"][1]["content"][0]["text"].partition("Actions")[0]


def test_the_vlm_agent_moves_along_a_graph_without_images(endpoint: str) -> None:
    agent = VlmAgent(endpoint)
    agent.reset(episode(space=GRAPH))
    Endpoint.replies = ["1"]
    nodes = [{"viewpoint": "n1", "heading": 0.5, "elevation": 0.0, "distance": 2.0}]
    action = agent.act({"viewpoint": "x", "navigable": nodes})
    assert action == {"action": "move_to", "action_args": {"viewpoint": "n1"}}
    assert len(Endpoint.asked[0]["messages"][1]["content"]) == 1


@pytest.mark.parametrize("reply", ["", "I do not know", "99"])
def test_the_vlm_agent_stops_at_an_answer_without_a_number(endpoint: str, reply: str) -> None:
    agent = VlmAgent(endpoint)
    agent.reset(episode())
    Endpoint.replies = [reply]
    assert agent.act({}) == "stop"
