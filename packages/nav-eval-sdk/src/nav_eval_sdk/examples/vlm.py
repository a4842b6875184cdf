"""Asks a vision-language model behind an OpenAI-compatible chat endpoint, with the standard library alone.

Settings come from the environment: VLM_URL (for example http://localhost:8000/v1), VLM_MODEL, VLM_API_KEY, and
VLM_TIMEOUT in seconds. The model sees the instruction, the RGB image if there is one, what it did last, and the
actions by number, and answers with a number. An answer without a usable number ends the episode, and is logged.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import re
import urllib.request
from typing import Any

from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.variables import VLM_API_KEY, VLM_MODEL, VLM_TIMEOUT, VLM_URL

log = logging.getLogger(__name__)
HISTORY = 8
SYSTEM = (
    "You steer a robot in a building. Follow the instruction and stop where it ends. "
    "Answer with the number of one action and nothing else."
)
MEANING = {
    "stop": "stop: the instruction is fulfilled",
    "move_forward": "go forward a step",
    "turn_left": "turn left",
    "turn_right": "turn right",
    "look_up": "look up",
    "look_down": "look down",
    "found": "the present goal is reached",
}


class VlmAgent(VLNAgent):
    """Asks a vision-language model behind the OpenAI-compatible endpoint in VLM_URL."""

    name = "vlm"
    version = "1"

    def __init__(self, url: str | None = None, model: str | None = None) -> None:
        self._url = (url or VLM_URL.get()).rstrip("/")
        self._model = model or VLM_MODEL.get()
        self._key = VLM_API_KEY.get()
        self._timeout = float(VLM_TIMEOUT.get())

    def reset(self, episode: dict[str, Any]) -> None:
        self._instruction = (episode["instruction"] or {}).get("text", "")
        self._names = [name for name in MEANING if name in episode["action_space"]]
        self._on_graph = "move_to" in episode["action_space"]
        self._done: list[str] = []

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        choices = self._choices(observation)
        reply = self._ask(self._messages(observation, [text for text, _ in choices]))
        number = re.search(r"\d+", reply)
        if number is None or int(number.group()) >= len(choices):
            log.warning("The model answered %r, which is not an action: stopping.", reply[:200])
            return "stop"
        text, action = choices[int(number.group())]
        self._done.append(text)
        return action

    def _choices(self, observation: dict[str, Any]) -> list[tuple[str, dict[str, Any] | str]]:
        """(what the model reads, what is answered)."""
        choices: list[tuple[str, dict[str, Any] | str]] = [(MEANING[name], name) for name in self._names]
        for node in (observation.get("navigable") or []) if self._on_graph else []:
            degrees, side = abs(round(node["heading"] * 57.3)), "left" if node["heading"] > 0 else "right"
            text = f"go {node['distance']:.1f} m, {degrees} degrees to the {side}"
            choices.append((text, {"action": "move_to", "action_args": {"viewpoint": node["viewpoint"]}}))
        return choices

    def _messages(self, observation: dict[str, Any], choices: list[str]) -> list[dict[str, Any]]:
        listed = "\n".join(f"{number}: {text}" for number, text in enumerate(choices))
        done = "; ".join(self._done[-HISTORY:]) or "nothing"
        text = f"Instruction: {self._instruction}\nDone so far: {done}\nActions:\n{listed}\nNumber:"
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if observation.get("rgb") is not None:
            content.append({"type": "image_url", "image_url": {"url": as_data_url(observation["rgb"])}})
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]

    def _ask(self, messages: list[dict[str, Any]]) -> str:
        body = json.dumps({"model": self._model, "messages": messages, "temperature": 0, "max_tokens": 16}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        request = urllib.request.Request(f"{self._url}/chat/completions", body, headers)
        with urllib.request.urlopen(request, timeout=self._timeout) as response:
            answer = json.load(response)
        return str(answer["choices"][0]["message"]["content"])


def as_data_url(rgb: Any) -> str:
    """(H, W, 3) uint8 as a JPEG in a data URL."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(rgb).save(stream, "jpeg", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(stream.getvalue()).decode()
