"""Navigation graphs and R2R's scores with networkx, as the benchmarks' own scripts work; no code of the product."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np


class OfficialGraphs:
    """Connectivity read with networkx, as the benchmarks' own scripts do; shares no code with the product."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graphs: dict[str, nx.Graph] = {}
        self._lengths: dict[tuple[str, str], dict[str, float]] = {}

    def graph(self, scan: str) -> nx.Graph:
        if scan not in self._graphs:
            rows = json.loads((self._folder / f"{scan}_connectivity.json").read_text())
            graph = self._graphs[scan] = nx.Graph()
            for row in rows:
                for other, free in zip(rows, row["unobstructed"], strict=True):
                    if free and row["included"] and other["included"]:
                        gaps = [(row["pose"][k] - other["pose"][k]) ** 2 for k in (3, 7, 11)]
                        graph.add_edge(row["image_id"], other["image_id"], weight=sum(gaps) ** 0.5)
        return self._graphs[scan]

    def distance(self, scan: str, a: str, b: str) -> float:
        if (scan, a) not in self._lengths:
            self._lengths[scan, a] = nx.single_source_dijkstra_path_length(self.graph(scan), a)
        return self._lengths[scan, a][b]

    def function(self, scan: str) -> Any:
        """A DistanceFunction over the scan's nodes."""
        return lambda start, ends: min(self.distance(scan, start.node, end.node) for end in ends)

    def length(self, scan: str, nodes: Sequence[str]) -> float:
        """Of a way along edges, metres."""
        return float(sum(self.graph(scan).edges[edge]["weight"] for edge in pairwise(nodes)))


def aligned(official: OfficialGraphs, scan: str, path: Sequence[str], reference: Sequence[str]) -> dict[str, float]:
    """nDTW from the last cell back and CLS with numpy, on networkx distances."""
    agent = [node for i, node in enumerate(path) if i == 0 or node != path[i - 1]]
    gaps = np.array([[official.distance(scan, a, b) for b in reference] for a in agent])

    @cache
    def cost(i: int, j: int) -> float:
        before = [cost(a, b) for a, b in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if a >= 0 and b >= 0]
        return float(gaps[i, j]) + (min(before) if before else 0.0)

    alignment = math.exp(-cost(len(agent) - 1, len(reference) - 1) / (3 * len(reference)))
    covered = float(np.mean(np.exp(-gaps.min(axis=0) / 3)))
    wanted = covered * official.length(scan, reference)
    arrived = float(official.distance(scan, agent[-1], reference[-1]) < 3)
    return {
        "ndtw": alignment,
        "sdtw": arrived * alignment,
        "cls": covered * wanted / (wanted + abs(wanted - official.length(scan, agent))),
        "path_length": official.length(scan, agent),
    }


def scored(official: OfficialGraphs, scan: str, path: Sequence[str], reference: Sequence[str]) -> dict[str, float]:
    """All that R2R reports, of an agent that stops at the end of its path."""
    gaps = [official.distance(scan, node, reference[-1]) for node in path]
    found = aligned(official, scan, path, reference)
    success = float(gaps[-1] < 3)
    return found | {
        "navigation_error": gaps[-1],
        "oracle_success": float(min(gaps) < 3),
        "success": success,
        "spl": success * gaps[0] / max(found["path_length"], gaps[0]),
    }


def r2r_means(folder: Path, agent: str, most: int = 99) -> dict[str, float]:
    """Means over the first instructions of each path of R2R_val_seen.json of an agent that stops or walks its path."""
    official, rows = OfficialGraphs(folder / "r2r" / "connectivity"), []
    for item in json.loads((folder / "r2r" / "R2R_val_seen.json").read_text()):
        walked = item["path"][: 1 if agent == "stop" else None]
        rows += [scored(official, item["scan"], walked, item["path"])] * min(most, len(item["instructions"]))
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}
