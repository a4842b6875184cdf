"""StreamVLN in this process: the agent of its own real-robot server, four actions for each picture.

As of InternRobotics/StreamVLN, streamvln/streamvln_agent.py (VLNEvaluator) and http_realworld_server.py: `step` is
called four times for one picture, with run_model where step_id is a multiple of 4, and the caller counts step_id; the
memory holds every fourth frame of what was before. The picture is (H, W, 3) uint8, RGB; depth and camera are not used.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.published.base import PublishedAgent, PublishedError, PublishedOptions, imported
from nav_eval_sdk.options import option

AHEAD = 4
"""Actions of an answer."""


@dataclass(frozen=True)
class StreamVLNOptions(PublishedOptions):
    """`StreamVLNOptions("StreamVLN", "checkpoints/StreamVLN_Video_qwen_1_5_r2r_rxr_envdrop_scalevln_v1_3")`"""

    frames: int = option(32, "steps after which the dialogue begins anew (--num_frames)")
    history: int = option(8, "frames of the memory (--num_history)")
    attention: str = option("flash_attention_2", "attn_implementation of transformers")
    device: str = option("cuda:0", "where the model runs; its own code wants cuda:0")


class StreamVLNAgent(PublishedAgent):
    """StreamVLN in a checkout of its repository: `StreamVLNAgent(StreamVLNOptions("StreamVLN", "weights"))`."""

    name = "streamvln"
    version = "1"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"rgb": (0, 0)}
    Options = StreamVLNOptions

    def load(self) -> Any:
        given = self.options
        agent = imported("streamvln.streamvln_agent", given.repository, "streamvln")
        models = imported("model.stream_video_vln", given.repository, "streamvln")
        torch, transformers = (imported(name, given.repository) for name in ("torch", "transformers"))
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            given.checkpoint, model_max_length=4096, padding_side="right"
        )
        model = models.StreamVLNForCausalLM.from_pretrained(
            given.checkpoint,
            attn_implementation=given.attention,
            torch_dtype=torch.bfloat16,
            config=transformers.AutoConfig.from_pretrained(given.checkpoint),
            low_cpu_mem_usage=False,
        )
        model.model.num_history = given.history
        model.reset(1)
        model.requires_grad_(False)
        model.to(given.device)
        model.eval()
        asked = Namespace(num_future_steps=AHEAD, num_frames=given.frames, num_history=given.history)
        return agent.VLNEvaluator({"camera_intrinsic": np.eye(4)}, model=model, tokenizer=tokenizer, args=asked)

    def start(self) -> None:
        self.model.reset_memory()

    def ask(self, rgb: Any) -> tuple[Sequence[int], str]:
        numbers, said = None, ""
        for _ in range(AHEAD):
            run = self.model.step_id % AHEAD == 0
            answer, _, text = self.model.step(0, rgb, self.instruction, run_model=run)
            numbers, said = (answer, str(text)) if answer is not None else (numbers, said)
            self.model.step_id += 1
        if not numbers:
            raise PublishedError(f"the model names no action: {said[:200]}")
        return list(map(int, numbers[:AHEAD])), said
