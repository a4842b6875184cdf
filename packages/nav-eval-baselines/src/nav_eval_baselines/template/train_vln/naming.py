"""Which words of an instruction name which kind of thing or room, by the tables that the instructions are made from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from nav_eval_baselines.learned.words import tokens
from nav_eval_worlds.language.wording import LANGUAGES, tables

OF_KIND = {
    "bathtub": "claw_tub free_tub",
    "bed": "poster_bed day_bed bunk_bed",
    "bench": "piano_bench shoe_bench padded_bench",
    "bin": "waste_basket",
    "bookshelf": "ladder_shelf glass_shelf cube_shelf pipe_shelf",
    "cabinet": "hutch plinth_sideboard peg_sideboard leg_sideboard peg_stand "
    "low_stand cabinet_stand leg_stand wall_unit drawer_file",
    "chair": "armchair dining_chair rattan_chair wing_chair task_chair shell_office_chair executive_chair lounge_chair",
    "counter": "kitchen_counter island",
    "desk": "office_desk writing_desk reception_desk secretary standing_desk",
    "fireplace": "iron_stove",
    "mirror": "cheval_mirror",
    "piano": "grand_piano upright_piano",
    "plant": "fern palm snake monstera fiddle bonsai lily",
    "pouf": "beanbag",
    "refrigerator": "double_fridge retro_fridge",
    "shelf": "metal_rack towel_shelf",
    "shower": "walk_shower corner_shower curtain_shower",
    "sink": "bathroom_sink kitchen_sink hung_vanity cabinet_vanity table_vanity pedestal_vanity",
    "sofa": "corner_sofa chaise_sofa",
    "stool": "bar_stool",
    "table": "coffee_table conference_table dining_table hall_table kitchen_table "
    "glass_table glass_coffee_table metal_console peg_console leg_console",
    "tv_monitor": "computer_monitor wall_screen",
    "wardrobe": "rack_wardrobe sliding_wardrobe armoire",
    "whiteboard": "standing_board",
}
"""The designs of each kind of thing that have a name of their own."""
DESIGNS = {design: kind for kind, designs in OF_KIND.items() for design in designs.split()}
ROOM = "in the {}"
"""The kind of a room."""


@cache
def names() -> dict[tuple[str, ...], str]:
    """Kinds by the tokens of their names."""
    found = {}
    for table in map(tables, LANGUAGES):
        for part in ("things", "seen", "designs", "rooms"):
            for key, words in table[part].items():
                kind = ROOM.format(key) if part == "rooms" else DESIGNS.get(key, key)
                found.update({tuple(tokens(name)): kind for name in ([words] if isinstance(words, str) else words)})
    return found


def tagged(text: str, kinds: Sequence[str]) -> list[int]:
    """Of each token the number of the kind that it names, len(kinds) where none; long names go before short ones."""
    words, number = tokens(text), {kind: place for place, kind in enumerate(kinds)}
    out, place = [len(kinds)] * len(words), 0
    longest = max(map(len, names()))
    while place < len(words):
        sizes = (size for size in range(longest, 0, -1) if tuple(words[place : place + size]) in names())
        size = next(sizes, 0)
        if size:
            kind = number.get(names()[tuple(words[place : place + size])], len(kinds))
            out[place : place + size] = [kind] * size
        place += size or 1
    return out
