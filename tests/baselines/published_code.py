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
ETPNAV = {
    "run_r2r/iter_train.yaml": "",
    "data/wp_pred/check_cwp_bestdist_hfov90": "",
    "goals.json": "{}",
    "torch.py": """
import contextlib
import numpy as np
class Tensor(np.ndarray):
    def to(self, device): assert device == "cuda:0"; return self
    def unsqueeze(self, place): return np.expand_dims(self, place)
    def softmax(self, axis):
        shares = np.exp(self - self.max())
        return shares / shares.sum(axis)
def tensor(values): return np.array(values).view(Tensor)
def no_grad(): return contextlib.nullcontext()
""",
    "gym/__init__.py": "",
    "gym/spaces.py": """
class Box:
    def __init__(self, low, high, shape, dtype): self.told = (low, high, shape, dtype.__name__)
class Dict:
    def __init__(self, spaces): self.spaces = spaces
class Discrete:
    def __init__(self, n): self.n = n
""",
    "habitat_baselines/__init__.py": "",
    "habitat_baselines/utils/__init__.py": "",
    "habitat_baselines/utils/common.py": """
import torch
def batch_obs(observations, device=None):
    assert device == "cuda:0"
    return {name: torch.tensor([seen[name] for seen in observations]) for name in observations[0]}
""",
    "vlnce_baselines/__init__.py": "",
    "vlnce_baselines/config/__init__.py": "",
    "vlnce_baselines/config/default.py": """
from types import SimpleNamespace as Node
def get_config(config_paths=None, opts=None):
    open(config_paths).close()
    (key, checkpoint), sim = opts, Node(TURN_ANGLE=15, FORWARD_STEP_SIZE=0.25)
    assert key == "IL.ckpt_to_load"
    il = Node(ckpt_to_load=checkpoint, max_traj_len=15, max_text_len=80, loc_noise=0.5)
    return Node(IL=il, MODEL=Node(merge_ghost=True, consume_ghost=True), TASK_CONFIG=Node(SIMULATOR=sim))
""",
    "vlnce_baselines/models/__init__.py": "",
    "vlnce_baselines/models/etp/__init__.py": "",
    "vlnce_baselines/models/etp/vlnbert_init.py": """
import zlib
class Tokenizer:
    def encode(self, text): return [101, *(1000 + zlib.crc32(word.encode()) % 29000 for word in text.split()), 102]
def get_tokenizer(args):
    open("run_r2r/iter_train.yaml").close()
    assert (args.dataset, args.tokenizer) == ("r2r", "bert")
    return Tokenizer()
""",
    "vlnce_baselines/models/graph_utils.py": """
import math
import networkx
import numpy as np
class GraphMap:
    def __init__(self, has_real_pos, loc_noise, merge_ghost, ghost_aug):
        assert (has_real_pos, loc_noise, merge_ghost, ghost_aug) == (False, 0.5, True, 0)
        self.node_pos, self.ghost_aug_pos, self.fronts, self.node_stop_scores = {}, {}, {}, {}
        self.graph, self.made = networkx.Graph(), 0
    def identify_node(self, cur_pos, cur_ori, cand_ang, cand_dis):
        x, y, z, w = cur_ori
        assert cur_pos.shape == (3,) and x == z == 0
        yaw, node = 2 * math.atan2(y, w), str(len(self.node_pos))
        turns = [yaw + angle for angle in cand_ang]
        ahead = [np.array([-math.sin(turn), 0, -math.cos(turn)]) for turn in turns]
        places = [cur_pos + far * way for far, way in zip(cand_dis, ahead, strict=True)]
        return node, [f"{node}_{k}" for k in range(len(places))], places
    def update_graph(
        self, prev_vp, step_id, cur_vp, cur_pos, cur_embeds, cand_vp, cand_pos, cand_embeds, cand_real_pos
    ):
        assert step_id == len(self.node_pos) + 1 and cand_real_pos is None
        assert cur_embeds.shape == (8,) and cand_embeds.shape == (len(cand_pos), 8)
        self.graph.add_node(cur_vp)
        if prev_vp is not None:
            self.graph.add_edge(prev_vp, cur_vp, weight=math.dist(cur_pos, self.node_pos[prev_vp]))
        self.node_pos[cur_vp] = cur_pos
        for place in cand_pos:
            for known in (self.node_pos, self.ghost_aug_pos):
                near = [name for name, there in known.items() if math.dist(place, there) < 0.5]
                if near:
                    break
            if near and known is self.node_pos:
                self.graph.add_edge(cur_vp, near[0], weight=math.dist(cur_pos, self.node_pos[near[0]]))
            elif near:
                self.fronts[near[0]].append(cur_vp)
            else:
                self.ghost_aug_pos[f"g{self.made}"], self.fronts[f"g{self.made}"] = place, [cur_vp]
                self.made += 1
        self.shortest_path = dict(networkx.all_pairs_dijkstra_path(self.graph))
    def front_to_ghost_dist(self, ghost_vp):
        place = self.ghost_aug_pos[ghost_vp]
        return min((math.dist(self.node_pos[front], place), front) for front in self.fronts[ghost_vp])
    def delete_ghost(self, vp): del self.ghost_aug_pos[vp], self.fronts[vp]
""",
    "vlnce_baselines/ss_trainer_ETP.py": """
import json
import math
from types import SimpleNamespace
import numpy as np
import torch
from vlnce_baselines.models.etp.vlnbert_init import Tokenizer
CORNERS = (np.arange(256) + 0.5 - 128) / 128
class RLTrainer:
    device = "cuda:0"
    def __init__(self, config=None):
        self.config, self.max_len = config, config.IL.max_traj_len
    def _initialize_policy(self, config, load_from_ckpt, observation_space, action_space):
        open("data/wp_pred/check_cwp_bestdist_hfov90").close()
        assert load_from_ckpt is True and action_space.n == 4
        assert observation_space.spaces["rgb"].told == (0, 255, (224, 224, 3), "uint8")
        assert observation_space.spaces["depth"].told == (0, 1, (256, 256, 1), "float32")
        self.policy = SimpleNamespace(net=Net(), eval=lambda: setattr(self.policy, "evaluated", True))
        self.waypoint_predictor = SimpleNamespace(eval=lambda: setattr(self.waypoint_predictor, "evaluated", True))
        self.policy.net.predictor = self.waypoint_predictor
    def _vp_feature_variable(self, obs):
        assert self.envs.num_envs == 1 and obs["cand_rgb"][0].shape[1:] == (512,)
        count = len(obs["cand_angles"][0])
        types = torch.tensor([[1] * count + [0] * (12 - count)])
        sizes = (("rgb", 512), ("dep", 128), ("loc", 4))
        filled = {f"{name}_fts": torch.tensor(np.ones((1, 12, size))) for name, size in sizes}
        return {**filled, "nav_types": types, "view_lens": torch.tensor([12])}
    def _nav_gmap_variable(self, cur_vp, cur_pos, cur_ori):
        (graph,), (here,), (place,), (turned,) = self.gmaps, cur_vp, cur_pos, cur_ori
        assert graph.node_pos[here] is place and abs(np.linalg.norm(turned) - 1) < 1e-6
        places = [*graph.node_pos.values(), *graph.ghost_aug_pos.values()]
        n, visited = len(places) + 1, len(graph.node_pos)
        return {
            "gmap_vp_ids": [[None, *graph.node_pos, *graph.ghost_aug_pos]],
            "gmap_step_ids": torch.tensor([[0] * n]), "gmap_img_fts": torch.tensor(np.zeros((1, n, 8))),
            "gmap_pos_fts": torch.tensor([[place, *places]]), "gmap_masks": torch.tensor([[True] * n]),
            "gmap_visited_masks": torch.tensor([[False, *[True] * visited, *[False] * (n - visited - 1)]]),
            "gmap_pair_dists": torch.tensor(np.zeros((1, n, n))), "no_vp_left": [not graph.ghost_aug_pos],
        }
class Net:
    asked = []
    def __call__(self, mode, **given):
        self.asked.append(mode)
        return getattr(self, mode)(**given)
    def language(self, txt_ids, txt_masks):
        assert txt_ids.shape == txt_masks.shape == (1, 80)
        with open(GOALS) as file:
            goals = json.load(file)
        ids = [number for number in txt_ids[0].tolist() if number]
        assert len(ids) == int(txt_masks.sum())
        return torch.tensor([goal for text, goal in goals.items() if Tokenizer().encode(text)[:80] == ids])
    def waypoint(self, waypoint_predictor, observations, in_train):
        assert waypoint_predictor is self.predictor and self.predictor.evaluated and in_train is False
        ends = ["", *(f"_{30 * k}" for k in range(1, 12))]
        assert [*observations] == [f"{kind}{end}" for end in ends for kind in ("rgb", "depth")]
        for end in ends:
            rgb, depth = observations["rgb" + end], observations["depth" + end]
            assert (rgb.shape, rgb.dtype) == ((1, 224, 224, 3), "uint8")
            assert (depth.shape, depth.dtype) == ((1, 256, 256, 1), "float32") and 0 <= depth.min() <= depth.max() <= 1
        free = [(k, free_way(observations["depth" + end][0, ..., 0] * 10)) for k, end in enumerate(ends)]
        found = [(k, far // 0.25 * 0.25) for k, far in free if far >= 0.5]
        angles, distances = [k * math.pi / 6 for k, _ in found], [min(far, 3.0) for _, far in found]
        count = len(found)
        return {
            "cand_angles": [angles], "cand_distances": [distances], "cand_rgb": [torch.tensor(np.ones((count, 512)))],
        }
    def panorama(self, rgb_fts, dep_fts, loc_fts, nav_types, view_lens):
        return torch.tensor(np.ones((1, 12, 8))), torch.tensor([[True] * 12])
    def navigation(
        self, txt_embeds, txt_masks, gmap_vp_ids, gmap_step_ids, gmap_img_fts, gmap_pos_fts, gmap_masks,
        gmap_visited_masks, gmap_pair_dists,
    ):
        away = np.linalg.norm(gmap_pos_fts[0] - txt_embeds[0], axis=1)
        logits = np.where(gmap_visited_masks[0], -np.inf, -away)
        logits[0] = 100.0 if away[0] < 1.5 else -away[0] - 100
        return {"global_logits": torch.tensor([logits])}
def free_way(depth):
    across, above = depth * CORNERS, 1.25 - depth * CORNERS[:, None]
    hit = (np.abs(across) < 0.25) & (above > 0.2) & (above < 1.5)
    return float(np.where(hit, depth, 10).min()) - 0.25
GOALS = __file__.replace("vlnce_baselines/ss_trainer_ETP.py", "goals.json")
""",
}


def checkout(folder: Path, files: dict[str, str]) -> Path:
    """Write one; the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
