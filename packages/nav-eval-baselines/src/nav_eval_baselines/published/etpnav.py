"""ETPNav in this process: panoramas become a graph of waypoints, of which the model chooses one to walk to.

As of MarSaKi/ETPNav, vlnce_baselines/ss_trainer_ETP.py (RLTrainer.rollout, in the mode eval) and common/environments.py
(VLNCEDaggerEnv.step, with IL.back_algo control). Its trainer is made without its environment: the panoramas here are
that environment's rgb, rgb_30 to rgb_330, counter-clockwise, (224, 224, 3) uint8, and depth, (256, 256, 1) float32 from
0 to 1; the nodes' positions are those of gps and compass, in the start's frame, on one level. The way to a node is
walked in quarter metres after turns to the nearest 15 degrees, each leg from where the last one ended.
"""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.published.base import PublishedAgent, PublishedError, imported

CONFIG = "run_r2r/iter_train.yaml"
SHAPES = {"panorama": (12, 224, 224, 3), "depth_panorama": (12, 256, 256, 1)}


@dataclass(frozen=True)
class _Model:
    trainer: Any
    tokenizer: Any
    torch: Any
    graph_map: Any
    batch_obs: Any


class ETPNavAgent(PublishedAgent):
    """ETPNav in a checkout of its repository: `ETPNavAgent(PublishedOptions("ETPNav", "ckpt.iter12000.pth"))`."""

    name = "etpnav"
    version = "1"
    own_state = True
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = dict.fromkeys((*SHAPES, "gps", "compass"), (0, 0))

    def load(self) -> Any:
        root, checkpoint = (str(Path(path).resolve()) for path in (self.options.repository, self.options.checkpoint))
        with _working_in(root):
            trainers = imported("vlnce_baselines.ss_trainer_ETP", root)
            configs = imported("vlnce_baselines.config.default", root)
            spaces, torch = imported("gym.spaces", root), imported("torch", root)
            trainer = trainers.RLTrainer(configs.get_config(CONFIG, ["IL.ckpt_to_load", checkpoint]))
            names = zip(("rgb", "depth"), SHAPES.values(), (255, 1), (np.uint8, np.float32), strict=True)
            seen = spaces.Dict({name: spaces.Box(0, high, shape[1:], kind) for name, shape, high, kind in names})
            trainer._initialize_policy(trainer.config, True, seen, spaces.Discrete(4))
            models = imported("vlnce_baselines.models.etp.vlnbert_init", root)
            tokenizer = models.get_tokenizer(SimpleNamespace(dataset="r2r", tokenizer="bert"))
        trainer.policy.eval()
        trainer.waypoint_predictor.eval()
        trainer.envs = SimpleNamespace(num_envs=1)
        graphs, common = (
            imported(name, root) for name in ("vlnce_baselines.models.graph_utils", "habitat_baselines.utils.common")
        )
        return _Model(trainer, tokenizer, torch, graphs.GraphMap, common.batch_obs)

    def start(self) -> None:
        told = self.model.trainer.config
        self._graph = self.model.graph_map(False, told.IL.loc_noise, told.MODEL.merge_ghost, 0)
        self._trainer = copy.copy(self.model.trainer)  # whose graph is this session's
        self._trainer.gmaps = [self._graph]
        ids = self.model.tokenizer.encode(self.instruction)[: told.IL.max_text_len]
        ids += [0] * (told.IL.max_text_len - len(ids))
        tokens = self.model.torch.tensor([ids]).to(self._trainer.device)
        self._words = {"txt_masks": tokens != 0}
        with self.model.torch.no_grad():
            net = self._trainer.policy.net
            self._words["txt_embeds"] = net(mode="language", txt_ids=tokens, **self._words)
        self._before: str | None = None
        self._decisions, self._stopping = 0, False
        self._way: list[Any] = []

    def shown(self, observation: dict[str, Any]) -> dict[str, Any]:
        for name, shape in SHAPES.items():
            picture = observation[name]
            if picture.shape != shape or (picture.dtype == np.float32 and picture.max() > 1):
                raise PublishedError(f"{name} must be {shape}, depth from 0 to 1: set profile=etpnav.")
        return observation

    def ask(self, seen: dict[str, Any]) -> tuple[Sequence[int], str | None]:
        (ahead, right), (yaw,) = map(float, seen["gps"]), map(float, seen["compass"])
        here, said = np.array([right, 0.0, -ahead]), None
        while True:
            while self._way:
                if numbers := self._leg(here, yaw, self._way.pop(0)):
                    return numbers, said
            if self._stopping:
                return [0], said
            said = self._decide(seen, here, yaw)

    def _leg(self, here: Any, yaw: float, there: Any) -> list[int]:
        """Habitat's numbers of the actions that lead there, as the published control counts them."""
        moves = self._trainer.config.TASK_CONFIG.SIMULATOR
        x, _, z = there - here
        angle = math.degrees(math.atan2(-x, -z) - yaw) % 360 if x or z else 0.0
        turns, all_round = round(angle / moves.TURN_ANGLE), 360 // moves.TURN_ANGLE
        turn = [2] * turns if turns <= all_round / 2 else [3] * (all_round - turns)
        return turn + [1] * int(math.hypot(x, z) // moves.FORWARD_STEP_SIZE)

    def _decide(self, seen: dict[str, Any], here: Any, yaw: float) -> str:
        """Adds this place and what is around it to the graph, and plans the way to the node that the model chooses."""
        graph, trainer, turned = self._graph, self._trainer, np.array([0, math.sin(yaw / 2), 0, math.cos(yaw / 2)])
        net, batch = trainer.policy.net, self.model.batch_obs([views(seen)], trainer.device)
        with self.model.torch.no_grad():
            found = net(
                mode="waypoint", waypoint_predictor=trainer.waypoint_predictor, observations=batch, in_train=False
            )
            around = trainer._vp_feature_variable(found)
            features, valid = (one[0] for one in net(mode="panorama", **around))
            node, names, places = graph.identify_node(here, turned, found["cand_angles"][0], found["cand_distances"][0])
            mean = (features * valid.unsqueeze(1)).sum(0) / valid.sum()
            candidates = features[around["nav_types"][0] == 1]
            graph.update_graph(self._before, self._decisions + 1, node, here, mean, names, places, candidates, None)
            asked = trainer._nav_gmap_variable([node], [here], [turned])
            (nothing_left,) = asked.pop("no_vp_left")
            logits = net(mode="navigation", **self._words, **asked)["global_logits"][0]
        graph.node_stop_scores[node] = float(logits.softmax(0)[0])
        self._decisions += 1
        choice = int(logits.argmax())
        if choice == 0 or nothing_left or self._decisions == trainer.max_len:
            self._stopping, end = True, max(graph.node_stop_scores, key=graph.node_stop_scores.get)
            self._way = self._back(node, end)
            return f"stop at node {end}"
        ghost = asked["gmap_vp_ids"][0][choice]
        self._before = graph.front_to_ghost_dist(ghost)[1]
        self._way = [*self._back(node, self._before), graph.ghost_aug_pos[ghost]]
        if trainer.config.MODEL.consume_ghost:
            graph.delete_ghost(ghost)
        return f"walk to {ghost} by node {self._before}"

    def _back(self, node: str, end: str | None) -> list[Any]:
        return [self._graph.node_pos[one] for one in self._graph.shortest_path[node][end][1:]]


def views(seen: Mapping[str, Any]) -> dict[str, Any]:
    """The twelve views as its environment names them: counter-clockwise, where the panoramas go clockwise."""
    found: dict[str, Any] = {}
    for step in range(12):
        end = f"_{30 * step}" if step else ""
        found[f"rgb{end}"] = np.array(seen["panorama"][-step % 12])
        found[f"depth{end}"] = np.array(seen["depth_panorama"][-step % 12])
    return found


@contextmanager
def _working_in(folder: str) -> Iterator[None]:
    """Its code opens files of the checkout by relative paths; raises PublishedError for one that is not there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    except FileNotFoundError as error:
        raise PublishedError(f"{folder}: {error.filename} is missing; get it as its README says.") from None
    finally:
        os.chdir(before)
