"""Checkouts of published models with nothing in them but the signatures that our agents call, written down from their
code, and a note of every call: no weights, no torch, no transformers.
"""

from __future__ import annotations

from pathlib import Path

TRANSFORMERS = """
class _Auto:
    @classmethod
    def from_pretrained(cls, path, **given):
        calls.append((cls.__name__, path, given))
        return cls()
class AutoTokenizer(_Auto): pass
class AutoConfig(_Auto): pass
calls = []
"""
TORCH = """
import contextlib
bfloat16, float16 = "bfloat16", "float16"
def inference_mode():
    return contextlib.nullcontext()
"""
STREAMVLN = {
    "torch.py": TORCH,
    "transformers.py": TRANSFORMERS,
    "streamvln/model/stream_video_vln.py": """
from types import SimpleNamespace
class StreamVLNForCausalLM:
    @classmethod
    def from_pretrained(cls, path, *, attn_implementation, torch_dtype, config, low_cpu_mem_usage):
        made = cls()
        made.told = (path, attn_implementation, torch_dtype, low_cpu_mem_usage)
        made.model, made.calls = SimpleNamespace(num_history=None), []
        return made
    def reset(self, count): self.calls.append(("reset", count))
    def requires_grad_(self, flag): self.calls.append(("requires_grad_", flag))
    def to(self, device): self.calls.append(("to", device))
    def eval(self): self.calls.append(("eval",))
""",
    "streamvln/streamvln_agent.py": """
from model.stream_video_vln import StreamVLNForCausalLM
class VLNEvaluator:
    answers = {}
    def __init__(self, sim_sensors_config, model=None, tokenizer=None, args=None):
        assert sim_sensors_config["camera_intrinsic"].shape == (4, 4)
        self.model, self.args, self.seen, self.step_id = model, args, [], 0
    def reset_memory(self):
        self.step_id, self.seen = 0, []
    def step(self, idx, rgb, instruction_text='', run_model=False):
        self.seen.append((idx, rgb.shape, rgb.dtype.name, instruction_text, run_model))
        if not run_model:
            return None, 0, None
        text = self.answers.get(self.step_id, "\\u2191\\u2191\\u2190\\u2192")
        return [{"S": 0, "\\u2191": 1, "\\u2190": 2, "\\u2192": 3}[sign] for sign in text], 0.25, text
""",
}
NAVID = {
    "navid_agent.py": """
class NaVid_Agent:
    def __init__(self, model_path, result_path, require_map=True):
        self.told, self.seen, self.resets = (model_path, require_map), [], 0
        self.reset()
    def reset(self):
        self.resets += 1
    def act(self, observations, info, episode_id):
        self.seen.append((observations["rgb"].shape, observations["instruction"]["text"]))
        return {"action": [1, 1, 3, 0][(len(self.seen) - 1) % 4]}
"""
}
UNINAVID = {
    "offline_eval_uninavid.py": """
class UniNaVid_Agent:
    answer = "forward left right stop"
    def __init__(self, model_path):
        self.told, self.rgb_list, self.asked = model_path, [], []
    def reset(self, task_type='vln'):
        self.rgb_list, self.asked = [], []
    def act(self, data):
        self.rgb_list.append(data["observations"])
        self.asked.append(([int(rgb[0, 0, 0]) for rgb in self.rgb_list], data["instruction"]))
        self.rgb_list = []
        return {"step": len(self.asked), "path": [[]], "actions": self.answer.split(" ")}
"""
}
NAVILA = {
    "torch.py": TORCH,
    "llava/__init__.py": "",
    "llava/constants.py": "IMAGE_TOKEN_INDEX = -200",
    "llava/conversation.py": """
from enum import Enum
class SeparatorStyle(Enum):
    TWO, LLAMA_3 = 1, 2
class Talk:
    roles, sep, sep2, sep_style = ("user", "assistant"), "<|end|>", "", SeparatorStyle.LLAMA_3
    def __init__(self): self.said = []
    def copy(self): return Talk()
    def append_message(self, role, text): self.said.append((role, text))
    def get_prompt(self): return "\\n".join(f"{role}: {text}" for role, text in self.said)
conv_templates = {"llama_3": Talk()}
""",
    "llava/mm_utils.py": """
class Tensor:
    device = "cuda"
    def __init__(self, value): self.value = value
    def unsqueeze(self, place): return self
    def cuda(self): return self
    def to(self, device, dtype): assert (device, dtype) == ("cuda", "float16"); return self
    def half(self): return self
def tokenizer_image_token(prompt, tokenizer, image_token_index, return_tensors=None):
    assert (image_token_index, return_tensors) == (-200, "pt")
    return Tensor(prompt)
def process_images(images, image_processor, model_cfg): return Tensor(images)
class KeywordsStoppingCriteria:
    def __init__(self, keywords, tokenizer, input_ids): self.keywords = keywords
""",
    "llava/model/__init__.py": "",
    "llava/model/builder.py": """
from types import SimpleNamespace
class Tokenizer:
    eos_token_id = 7
    def batch_decode(self, ids, skip_special_tokens): return [ids]
class Model:
    answers, device = [], "cuda"
    def __init__(self): self.config, self.asked = SimpleNamespace(num_video_frames=4), []
    def cuda(self): return self
    def generate(self, ids, **given):
        self.asked.append((ids.value, [image.getpixel((0, 0))[0] for image in given.pop("images").value], given))
        return f" {self.answers[len(self.asked) - 1]}<|end|>"
def load_pretrained_model(model_path, model_name):
    made = Model()
    made.told = (model_path, model_name)
    return Tokenizer(), made, "processor", 2048
""",
    "evaluation/vlnce_baselines/navila_trainer.py": """
def evaluate(interleaved_images, instruction):
    label = f"{instruction} only"
    question = (
        f"You were shown {interleaved_images}, now <image>. "
        f'Your task is: "{instruction}"'
    )
""",
}


def checkout(folder: Path, files: dict[str, str]) -> Path:
    """Write one; the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
