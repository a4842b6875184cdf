"""How rich generated instructions are, beside people's: words, phrases, openings, looks and relations.

    python benchmarks/instructions.py [--texts 500] [--r2r ../shared/data/r2r/R2R_val_seen.json] [--show 20]

Prints a table for English and one for Chinese: generated homes, Room-to-Room's own texts where the file is there, and
what is wanted. `--show` prints paths with their texts, for reading.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.vln import VlnPath, vln_paths
from nav_eval_worlds.world import generate_world

WANTED = {
    "en": {"word types": 360, "distinct 4-grams": 0.45, "most frequent opening": 0.2, "look words per text": 0.3},
    "zh": {"word types": 250, "distinct 4-grams": 0.3, "most frequent opening": 0.2, "look words per text": 0.3},
}
"""At least; of openings at most."""
JOINTS = {
    "en": ("until", "before", "between", "behind", "near"),
    "zh": ("一直", "之后", "之间", "身后", "旁边"),
}
_COLOURS = "brown|tan|beige|cream|yellow|orange|green|teal|blue|pink|red|white|gr[ea]y|black|purple|dark|light|golden?"
_LOOKS = {
    "en": rf"\b({_COLOURS}|wood|wooden|leather|metal|glass|marble|stone|wicker|woven|"
    r"large|big|small|little|tall|long|low|narrow|wide|round|double|single|compact|slim|broad)\b",
    "zh": "[棕褐米黄橙绿青蓝粉红白灰黑]色|咖啡色|木质|木制|实木|皮质|皮面|金属|藤编|"
    "大(?=沙发|桌|书|衣|床)|长沙发|双人|单人|高(?=书|柜)",
}


def measures(texts: Sequence[str], language: str) -> dict[str, float]:
    """The figures of a body of texts; in Chinese a character counts as a word, and a 4-gram is of characters."""
    spoken = [words(text, language) for text in texts]
    grams = Counter(gram for one in spoken for gram in zip(*(one[k:] for k in range(4)), strict=False))
    openings = Counter(tuple(one[:3]) for one in spoken)
    figures = {
        "texts": float(len(texts)),
        "words per text": sum(map(len, spoken)) / len(texts),
        "word types": float(len({word for one in spoken for word in one})),
        "distinct 4-grams": len(grams) / sum(grams.values()),
        "most frequent opening": openings.most_common(1)[0][1] / len(texts),
        "look words per text": sum(len(re.findall(_LOOKS[language], text.lower())) for text in texts) / len(texts),
    }
    return figures | {
        f"texts with {joint}": sum(joint in t.lower() for t in texts) / len(texts) for joint in JOINTS[language]
    }


def words(text: str, language: str) -> list[str]:
    return re.findall("[一-鿿]" if language == "zh" else r"[a-z][a-z'-]*", text.lower())


def homes(count: int) -> Iterator[tuple[str, tuple[VlnPath, ...]]]:
    """Paths on homes of six to thirteen rooms, one in three of two storeys, until there are so many."""
    found = seed = 0
    while found < count:
        world = generate_world(f"text-{seed}", 6 + seed * 3 % 8, 1 + (seed % 3 == 2), "home", 20_000)
        paths = vln_paths(Site(world.name, world.scene(), NavMesh.from_bytes(world.navmesh())), 4, "texts").paths
        yield world.name, paths[: count - found]
        found, seed = found + len(paths), seed + 1


def table(figures: dict[str, float], people: dict[str, float], wanted: dict[str, float], note: str) -> str:
    """`note`: why there are no people's figures, where there are none."""
    rows = [f"{'':28}{'generated':>11}{'R2R':>11}{'wanted':>11}"]
    for name, value in figures.items():
        limit = f"{'<=' if name == 'most frequent opening' else '>='} {wanted[name]:g}" if name in wanted else ""
        rows.append(f"{name:28}{value:11.2f}{people.get(name, float('nan')):11.2f}{limit:>11}".replace("nan", "  -"))
    return "\n".join(rows if people else [*rows, f"R2R is -: {note}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=500, help="in each language")
    parser.add_argument("--r2r", type=Path, default=Path("../shared/data/r2r/R2R_val_seen.json"))
    parser.add_argument("--show", type=int, default=0, help="paths to print with their texts")
    asked = parser.parse_args()
    paths = [path for _, found in homes(-(-asked.texts // 3)) for path in found]
    for path in paths[:: max(1, len(paths) // asked.show)] if asked.show else ():
        print(path.scene_id, *path.steps, *(told.text for told in path.told), sep="\n  ")
    people = {}
    if asked.r2r.is_file():
        said = [text for item in json.loads(asked.r2r.read_text()) for text in item["instructions"]]
        people = measures(said[: asked.texts], "en")
    for language in ("en", "zh"):
        texts = [told.text for path in paths for told in path.told if told.language == language][: asked.texts]
        theirs, note = (people, f"{asked.r2r} is not there.") if language == "en" else ({}, "its texts are English.")
        print(f"\n{language}", table(measures(texts, language), theirs, WANTED[language], note), sep="\n")


if __name__ == "__main__":
    main()
