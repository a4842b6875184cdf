"""Which licensed file belongs where, and what is missing: `nav-eval data check`.

Nothing here can be downloaded by us: each owner asks for an agreement or a request of one's own. Paths are relative to
the data folder (NAV_EVAL_DATA, default data/), and those of the built-in benchmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["present", "partial", "missing"]


@dataclass(frozen=True, slots=True)
class Expected:
    """Files of one owner: `patterns` are globs below the data folder, every one of which should match something."""

    name: str
    patterns: tuple[str, ...]
    benchmarks: tuple[str, ...]
    owner: str
    source: str
    beside: tuple[str, ...] = ()
    """Endings of files that should lie beside each match of the first pattern."""


@dataclass(frozen=True, slots=True)
class DataFinding:
    """What was found of one expectation. `found`: how many files; `detail` says what to do next."""

    name: str
    state: State
    found: int
    path: str
    benchmarks: tuple[str, ...]
    owner: str
    source: str
    detail: str


_MP3D = "Matterport3D (Matterport, Princeton, Stanford, TUM)"
_MP3D_PAGE = "https://niessner.github.io/Matterport/, after signing its terms of use; the Habitat task's archive"
_SIMULATOR = "https://github.com/peteanderson80/Matterport3DSimulator"
_VLN_CE = "https://github.com/jacobkrantz/VLN-CE"
_HABITAT = "https://github.com/facebookresearch/habitat-lab/blob/main/DATASETS.md"

EXPECTED: tuple[Expected, ...] = (
    Expected(
        "R2R instructions",
        ("datasets/vln/R2R/R2R_*.json*",),
        ("r2r",),
        "Room-to-Room (Anderson et al.)",
        f"{_SIMULATOR}, tasks/R2R/data",
    ),
    Expected(
        "R4R instructions",
        ("datasets/vln/R4R/R4R_*.json*",),
        ("r4r",),
        "Room-for-Room (Jain et al.)",
        "https://github.com/google-research/google-research/tree/master/r4r, a generator to run on the R2R files",
    ),
    Expected(
        "RxR instructions",
        ("datasets/vln/RxR/rxr_*_guide.jsonl*",),
        ("rxr",),
        "Room-across-Room (Ku et al., Google)",
        "https://github.com/google-research-datasets/RxR",
    ),
    Expected(
        "REVERIE instructions and boxes",
        ("datasets/vln/REVERIE/REVERIE_*.json", "datasets/vln/REVERIE/[Bb]*ox*"),
        ("reverie",),
        "REVERIE (Qi et al.)",
        "https://github.com/YuankaiQi/REVERIE",
    ),
    Expected(
        "MultiON episodes",
        ("datasets/multinav/3_ON/*/*.json.gz",),
        ("multion",),
        "MultiON (Wani et al.)",
        "https://github.com/saimwani/multiON",
    ),
    Expected(
        "GOAT-Bench episodes",
        ("datasets/goat_bench/hm3d/v1/*/content/*.json.gz",),
        ("goat",),
        "GOAT-Bench (Khanna et al.)",
        "https://github.com/Ram81/goat-bench",
    ),
    Expected(
        "Matterport3D navigation graphs",
        ("connectivity/*_connectivity.json",),
        ("r2r", "r4r", "rxr", "reverie"),
        "Room-to-Room (Anderson et al.)",
        f"{_SIMULATOR}, connectivity",
    ),
    Expected(
        "R2R-CE episodes",
        ("datasets/R2R_VLNCE_v1-3_preprocessed/*/*.json.gz",),
        ("r2r-ce",),
        "VLN-CE (Krantz et al.)",
        f"{_VLN_CE}, R2R_VLNCE_v1-3_preprocessed",
    ),
    Expected(
        "RxR-CE episodes",
        ("datasets/RxR_VLNCE_v0/*/*_guide.json.gz",),
        ("rxr-ce",),
        "RxR-Habitat (Krantz et al., Google)",
        f"{_VLN_CE}, RxR_VLNCE_v0",
    ),
    Expected(
        "PointNav Gibson episodes",
        ("datasets/pointnav/gibson/v*/*/*.json.gz",),
        ("pointnav", "imagenav"),
        "Habitat (Meta AI)",
        f"{_HABITAT}: Point goal navigation, Gibson",
    ),
    Expected(
        "ImageNav Gibson episodes",
        ("datasets/imagenav/gibson/v*/*/*.json.gz",),
        ("imagenav",),
        "NRNS (Hahn et al.) or Habitat (Meta AI)",
        "https://github.com/meera1hahn/NRNS, image-nav episodes; Habitat's PointNav Gibson episodes serve too",
    ),
    Expected(
        "ObjectNav MP3D episodes",
        ("datasets/objectnav/mp3d/v1/*/*.json.gz", "datasets/objectnav/mp3d/v1/*/content/*.json.gz"),
        ("objectnav-mp3d",),
        "Habitat (Meta AI)",
        f"{_HABITAT}: Object goal navigation, Matterport3D",
    ),
    Expected(
        "ObjectNav HM3D episodes",
        ("datasets/objectnav/hm3d/v*/*/*.json.gz", "datasets/objectnav/hm3d/v*/*/content/*.json.gz"),
        ("objectnav-hm3d",),
        "Habitat (Meta AI)",
        f"{_HABITAT}: Object goal navigation, HM3D",
    ),
    Expected(
        "InstanceImageNav HM3D episodes",
        ("datasets/instance_imagenav/hm3d/v*/*/*.json.gz", "datasets/instance_imagenav/hm3d/v*/*/content/*.json.gz"),
        ("instance-imagenav",),
        "Habitat (Meta AI)",
        f"{_HABITAT}: Instance image goal navigation, HM3D",
    ),
    Expected(
        "Matterport3D scenes",
        ("scene_datasets/mp3d/*/*.glb",),
        ("r2r-ce", "rxr-ce", "objectnav-mp3d", "multion"),
        _MP3D,
        _MP3D_PAGE,
        beside=(".navmesh", ".house", "_semantic.ply"),
    ),
    Expected(
        "HM3D scenes",
        ("scene_datasets/hm3d/*/*/*.basis.glb",),
        ("objectnav-hm3d", "instance-imagenav", "goat"),
        "Habitat-Matterport 3D (Matterport, Meta AI)",
        "https://matterport.com/habitat-matterport-3d-research-dataset, after accepting its terms",
        beside=(".basis.navmesh", ".semantic.glb", ".semantic.txt"),
    ),
    Expected(
        "Gibson scenes",
        ("scene_datasets/gibson/*.glb",),
        ("pointnav", "imagenav"),
        "Gibson Database (Stanford)",
        "https://github.com/StanfordVL/GibsonEnv/blob/master/gibson/data/README.md, after its licence agreement; "
        "the archive for Habitat",
        beside=(".navmesh",),
    ),
)


def data_check(data_root: str | Path) -> list[DataFinding]:
    """One finding per expectation, in the order of the table above; reads names of files, never contents."""
    root = Path(data_root)
    return [_finding(root, expected) for expected in EXPECTED]


def _finding(root: Path, expected: Expected) -> DataFinding:
    matches = [sorted(root.glob(pattern)) for pattern in expected.patterns]
    found = sum(len(paths) for paths in matches)
    empty = [pattern for pattern, paths in zip(expected.patterns, matches) if not paths]
    lacking = _lacking(matches[0], expected.beside)
    state: State = "missing" if not found else "partial" if empty or lacking else "present"
    return DataFinding(
        expected.name,
        state,
        found,
        str(root / expected.patterns[0]),
        expected.benchmarks,
        expected.owner,
        expected.source,
        _detail(root, expected, empty, lacking, state),
    )


def _lacking(scenes: Sequence[Path], endings: Sequence[str]) -> dict[str, int]:
    """How many scenes lack which neighbour."""
    counts = {}
    for ending in endings:
        absent = sum(not _neighbour(scene, ending).is_file() for scene in scenes)
        if absent:
            counts[ending] = absent
    return counts


def _neighbour(scene: Path, ending: str) -> Path:
    return scene.with_name(scene.name.removesuffix(".glb").removesuffix(".basis") + ending)


def _detail(root: Path, expected: Expected, empty: list[str], lacking: dict[str, int], state: State) -> str:
    if state == "missing":
        return f"Get it from {expected.source}, and put it at {root / expected.patterns[0]}."
    parts = [f"nothing matches {root / pattern}" for pattern in empty]
    parts += [f"{count} scenes lack *{ending}" for ending, count in lacking.items()]
    return "; ".join(parts)
