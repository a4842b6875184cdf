"""NaVILA in this process: frames spread over the episode and the present one, answered in a sentence with an amount.

As of AnjieCheng/NaVILA, evaluation/vlnce_baselines/navila_trainer.py, which has no class of its own for it: the calls
of its `llava` package are made here in the same order, and the question is read out of that file, so that it is the one
of the checkout. `num_video_frames` of the model are shown: black ones in front where there are fewer, else spread
evenly, the last one always. A frame is (H, W, 3) uint8, every step gives one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.published.base import PublishedAgent, PublishedError, imported

SOURCE = Path("evaluation", "vlnce_baselines", "navila_trainer.py")
SIZE = (512, 512)
STOPS = re.compile(r"\bstop\b", re.IGNORECASE)
SAID = re.compile(r"\bis (move forward|turn left|turn right)\b(?:\s+(\d+)\s+(?:cm|degree))?", re.IGNORECASE)
KINDS = {"move forward": (1, 25), "turn left": (2, 15), "turn right": (3, 15)}
"""Number, and the amount of one step: centimetres or degrees."""


@dataclass(frozen=True)
class _Model:
    tokenizer: Any
    model: Any
    processor: Any
    question: Any


class NaVILAAgent(PublishedAgent):
    """NaVILA in a checkout of its repository: `NaVILAAgent(PublishedOptions("NaVILA", "weights"))`."""

    name = "navila"
    version = "1"
    every_frame = True
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"rgb": (0, 0)}

    def load(self) -> Any:
        root, path = self.options.repository, self.options.checkpoint
        builder = imported("llava.model.builder", root)
        tokenizer, model, processor, _ = builder.load_pretrained_model(path, Path(path).name)
        return _Model(tokenizer, model.cuda(), processor, _question(Path(root) / SOURCE))

    def start(self) -> None:
        self._frames: list[Any] = []

    def see(self, rgb: Any) -> None:
        images = imported("PIL.Image", self.options.repository)
        self._frames.append(images.fromarray(np.asarray(rgb, np.uint8)).convert("RGB"))

    def ask(self, rgb: Any) -> tuple[Sequence[int], str]:
        self.see(rgb)
        said = self._answer(sampled(self._frames, self.model.model.config.num_video_frames))
        return numbers_of(said), said

    def _answer(self, frames: Sequence[Any]) -> str:
        root, loaded = self.options.repository, self.model
        names = ("constants", "conversation", "mm_utils")
        constants, conversation, tools = (imported(f"llava.{name}", root) for name in names)
        torch = imported("torch", root)
        talk = conversation.conv_templates["llama_3"].copy()
        talk.append_message(talk.roles[0], loaded.question("<image>\n" * (len(frames) - 1), self.instruction))
        talk.append_message(talk.roles[1], None)
        index = constants.IMAGE_TOKEN_INDEX
        tokens = tools.tokenizer_image_token(talk.get_prompt(), loaded.tokenizer, index, return_tensors="pt")
        tokens = tokens.unsqueeze(0).cuda()
        shown = tools.process_images(frames, loaded.processor, loaded.model.config)
        end = talk.sep if talk.sep_style != conversation.SeparatorStyle.TWO else talk.sep2
        with torch.inference_mode():
            answer = loaded.model.generate(
                tokens,
                images=shown.to(loaded.model.device, dtype=torch.float16).half().cuda(),
                do_sample=False,
                temperature=0.0,
                max_new_tokens=32,
                use_cache=True,
                stopping_criteria=[tools.KeywordsStoppingCriteria([end], loaded.tokenizer, tokens)],
                pad_token_id=loaded.tokenizer.eos_token_id,
            )
        text = str(loaded.tokenizer.batch_decode(answer, skip_special_tokens=True)[0]).strip()
        return text.removesuffix(end).strip()


def sampled(frames: Sequence[Any], count: int) -> list[Any]:
    """`count` of them: black ones in front where there are fewer, else spread evenly, and always the last.

    >>> sampled(list("abcdefghij"), 4)
    ['a', 'd', 'g', 'j']
    """
    if len(frames) < count:
        from PIL import Image

        black = [Image.new("RGB", SIZE) for _ in range(count - len(frames))]
        frames = [*black, *frames]
    places = np.linspace(0, len(frames) - 1, num=count - 1, endpoint=False, dtype=int)
    return [*(frames[place] for place in places), frames[-1]]


def numbers_of(said: str) -> list[int]:
    """Habitat's numbers of a sentence; an amount that is no number of steps is the nearest of one to three.

    >>> numbers_of("The next action is turn left 45 degree.")
    [2, 2, 2]
    """
    if STOPS.search(said):
        return [0]
    found = SAID.search(said)
    if found is None:
        raise PublishedError(f"the model names no action: {said[:200]}")
    number, step = KINDS[found[1].lower()]
    amount = int(found[2] or step)
    steps = amount // step if amount % step == 0 else min((1, 2, 3), key=lambda n: abs(n * step - amount))
    return [number] * max(1, steps)


def _question(source: Path) -> Any:
    """The checkout's own question as a function of its images and the instruction; raises PublishedError."""
    try:
        nodes = ast.walk(ast.parse(source.read_text("utf-8")))
    except (OSError, SyntaxError) as error:
        raise PublishedError(f"{source}: cannot be read ({error}); is this NaVILA's checkout?") from None
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.JoinedStr):
            names = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
            if names == {"interleaved_images", "instruction"}:
                text = compile(ast.Expression(node.value), str(source), "eval")
                return lambda images, told: eval(text, {"interleaved_images": images, "instruction": told})
    raise PublishedError(f"{source}: holds no question with the images and the instruction.")
