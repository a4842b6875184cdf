"""Decorating styles: woods, metals, fabrics, walls, floors and designs that go together, one style per building.

A style lists its colours from the most to the least used; a building draws its own few of them. `likes` names the
designs (nav_eval_worlds.furniture) that it prefers; other designs come in now and then, as in real homes.
"""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.surfaces.noise import Colour

Colours = tuple[Colour, ...]


@dataclass(frozen=True, slots=True)
class Style:
    """`woods` are pairs (main, second). `floors`, `tiles` and `papers` are painters, `rugs` a whole range.

    `features`: what the wall that stands out may be of.
    """

    name: str
    woods: tuple[tuple[Colour, Colour], ...]
    metals: Colours
    fabrics: Colours
    accents: Colours
    leathers: Colours
    walls: Colours
    features: tuple[tuple[str, Colours], ...]
    papers: tuple[str, ...]
    floors: tuple[str, ...]
    boards: Colours
    tiles: tuple[str, ...]
    stones: Colours
    fronts: Colours
    counters: tuple[tuple[str, Colour], ...]
    curtains: Colours
    painted_doors: int
    rugs: tuple[str, ...]
    likes: frozenset[str]


def _likes(names: str) -> frozenset[str]:
    return frozenset(names.split())


_WHITE: Colour = (238, 236, 230)
_OAK: Colour = (206, 168, 120)
_PALE: Colour = (222, 192, 150)
_WALNUT: Colour = (112, 74, 50)
_TEAK: Colour = (158, 100, 62)
_DARK: Colour = (84, 58, 44)
_PINE: Colour = (204, 156, 100)
_GREY: Colour = (150, 138, 124)
_BLACK: Colour = (44, 44, 46)
_BRASS: Colour = (186, 150, 86)
_STEEL: Colour = (176, 178, 182)

STYLES = (
    Style(
        "scandinavian", ((_PALE, _WHITE), (_OAK, _PALE)), (_BLACK, _STEEL),
        ((206, 204, 198), (150, 152, 154), (224, 218, 206), (118, 124, 130)),
        ((132, 152, 140), (198, 160, 88), (196, 142, 128), (84, 104, 120)), ((172, 126, 84),),
        ((240, 239, 235), (234, 234, 230), (228, 230, 228)),
        (("plaster", ((172, 186, 178), (148, 164, 172))), ("beadboard", ((226, 230, 226), (172, 186, 178))),
        ("slats", (_OAK,))),
        ("botanic", "stripes"), ("planks", "planks", "herringbone"), (_PALE, (212, 184, 146)),
        ("floor_tiles", "hex_tiles"), ((214, 212, 206), (186, 186, 184)), ((236, 236, 232), (176, 190, 182)),
        (("wood", _OAK), ("stone", (222, 220, 214))), ((236, 234, 228), (196, 200, 200)), 100,
        ("plain", "lines", "berber"),
        _likes("plain_leaf strip_leaf glazed_leaf "
               "slim_sofa corner_sofa wood_armchair shell_chair wishbone_chair spindle_chair platform_bed panel_bed "
               "slat_bed round_table plain_table trestle_desk ladder_shelf cube_shelf peg_sideboard peg_stand "
               "flat_wardrobe peg_dresser tripod_lamp globe_pendant paper_globe snake fiddle flat_kitchen "),
    ),
    Style(
        "mid-century", ((_TEAK, _WALNUT), (_WALNUT, _OAK)), (_BRASS, _BLACK),
        ((196, 186, 164), (96, 110, 96), (168, 110, 66), (120, 116, 110)),
        ((206, 150, 52), (176, 84, 52), (44, 106, 112), (108, 116, 58)), ((122, 72, 44), (66, 50, 44)),
        ((238, 232, 218), (230, 224, 210)),
        (("plaster", ((58, 96, 96), (190, 148, 80), (112, 120, 82))), ("slats", (_TEAK, _WALNUT)),
        ("brick", ((214, 206, 192),))),
        ("circles", "diamonds"), ("parquet", "planks", "herringbone"), (_TEAK, (170, 122, 78)),
        ("checker_tiles", "floor_tiles"), ((206, 200, 188), (170, 160, 146)), ((150, 96, 60), (232, 226, 212)),
        (("terrazzo", (220, 214, 204)), ("stone", (228, 224, 216))), ((214, 190, 140), (226, 218, 200)), 30,
        ("geometric", "circles", "plain"),
        _likes("plain_leaf strip_leaf "
               "slim_sofa tufted_sofa lounge_chair wood_armchair shell_chair padded_chair platform_bed padded_bed "
               "tulip_table plain_table oval_table peg_sideboard peg_stand peg_dresser drawer_desk pin_desk "
               "stack_shelf arc_lamp drum_pendant sputnik globe_pendant monstera snake slab_kitchen drum_table"),
    ),
    Style(
        "industrial", ((_WALNUT, (132, 96, 66)), ((140, 104, 72), _DARK)), (_BLACK, (92, 92, 96)),
        ((112, 110, 108), (86, 88, 94), (158, 146, 128), (70, 70, 74)),
        ((150, 74, 48), (72, 88, 100), (186, 150, 90), (96, 104, 84)), ((104, 66, 44), (58, 46, 40)),
        ((222, 220, 214), (198, 196, 192)),
        (("brick", ((168, 96, 74), (196, 188, 178))), ("concrete", ((168, 166, 162),)),
        ("brick", ((120, 84, 70), (222, 220, 214)))),
        ("concrete", "concrete"), ("planks",), ((140, 104, 74), (112, 84, 62)),
        ("slab_tiles", "hex_tiles"), ((150, 150, 148), (118, 118, 118)), ((62, 64, 66), (120, 84, 58)),
        (("wood", (132, 92, 60)), ("concrete", (158, 156, 152))), ((110, 110, 110), (170, 164, 152)), 40,
        ("worn", "lines", "plain"),
        _likes("glazed_leaf plain_leaf "
               "tufted_sofa sled_sofa corner_sofa lounge_chair metal_chair cantilever_chair metal_bed platform_bed "
               "trestle_table pipe_shelf rack_wardrobe pin_desk pipe_desk cage_pendant track tripod_lamp metal_stool "
               "leg_sideboard leg_stand slab_kitchen crate_table palm snake dome_pendant"),
    ),
    Style(
        "classic", (((120, 66, 42), (150, 96, 62)), (_DARK, (120, 66, 42))), (_BRASS, _STEEL),
        ((214, 202, 180), (124, 60, 58), (88, 98, 120), (186, 168, 136)),
        ((134, 44, 48), (52, 74, 100), (188, 152, 84), (82, 102, 76)), ((92, 48, 36), (70, 62, 52)),
        ((236, 226, 206), (226, 218, 200), (214, 222, 216)),
        (("panelled", ((196, 206, 196), (120, 140, 150))), ("panelled", ((232, 228, 218), (92, 104, 96)))),
        ("damask", "stripes"), ("herringbone", "parquet"), ((150, 98, 62), (124, 78, 50)),
        ("checker_tiles", "slab_tiles"), ((226, 220, 210), (200, 190, 176)), ((232, 226, 212), (94, 110, 104)),
        (("marble", (236, 234, 230)), ("stone", (70, 68, 70))), ((150, 66, 62), (206, 186, 146), (96, 110, 126)), 60,
        ("persian", "persian", "border"),
        _likes("panelled_leaf cottage_leaf "
               "rolled_sofa tufted_sofa wing_chair padded_chair carved_chair poster_bed padded_bed panel_bed "
               "pedestal_table farm_table secretary drawer_desk case_shelf glass_shelf armoire wide_dresser hutch "
               "plinth_sideboard cabinet_stand chandelier candle_pendant claw_tub framed_kitchen palm fern"),
    ),
    Style(
        "rustic", ((_PINE, (160, 112, 72)), ((168, 122, 80), _DARK)), (_BLACK, (112, 96, 80)),
        ((198, 184, 156), (146, 118, 90), (110, 112, 96), (226, 216, 196)),
        ((156, 66, 50), (96, 116, 84), (188, 138, 70), (92, 108, 124)), ((128, 84, 54),),
        ((238, 228, 208), (230, 216, 190), (222, 208, 184)),
        (("brick", ((206, 196, 180), (176, 112, 86))), ("boards", ((196, 156, 108), (226, 220, 206))),
        ("beadboard", ((214, 212, 192),))),
        ("leaves", "stripes"), ("planks",), ((168, 120, 76), (142, 98, 64)),
        ("clay_tiles", "floor_tiles"), ((190, 124, 90), (196, 176, 148)), ((206, 198, 176), (124, 142, 120)),
        (("wood", (170, 120, 76)), ("stone", (188, 178, 162))), ((216, 200, 168), (168, 90, 66)), 20,
        ("kilim", "persian", "berber"),
        _likes("plank_leaf cottage_leaf "
               "wooden_sofa rolled_sofa wing_chair wood_armchair ladder_chair spindle_chair carved_chair panel_bed "
               "slat_bed poster_bed farm_table trestle_table shaker_wardrobe armoire case_shelf hutch wide_dresser "
               "plinth_sideboard cabinet_stand crate_table lantern candle_pendant framed_kitchen fern farm_desk "
               "dome_pendant trunk_table"),
    ),
    Style(
        "muji", ((_PALE, _OAK), ((214, 180, 134), _PALE)), (_STEEL, _WHITE),
        ((222, 214, 198), (200, 190, 172), (176, 170, 158), (156, 150, 140)),
        ((150, 158, 134), (186, 166, 136), (120, 124, 122), (196, 178, 160)), ((186, 150, 110),),
        ((242, 238, 228), (236, 230, 218)), (("plaster", ((214, 200, 176), (190, 186, 170))), ("slats", (_PALE, _OAK))),
        ("grasscloth", "grasscloth"), ("planks",), (_PALE, (204, 172, 130)),
        ("slab_tiles", "floor_tiles"), ((218, 212, 200), (196, 190, 178)), ((222, 196, 156), (238, 234, 224)),
        (("wood", _PALE), ("stone", (232, 228, 220))), ((236, 230, 216), (214, 204, 184)), 30,
        ("plain", "berber", "lines"),
        _likes("glazed_leaf plain_leaf "
               "wooden_sofa slim_sofa floor_sofa wood_armchair wishbone_chair ladder_chair platform_bed slat_bed "
               "plain_table round_table trestle_desk cube_shelf low_shelf sliding_wardrobe flat_wardrobe peg_dresser "
               "plinth_sideboard low_stand paper_globe paper_lamp lantern bonsai fern flat_kitchen slab_kitchen"),
    ),
    Style(
        "coastal", ((_WHITE, _PALE), ((196, 180, 156), _WHITE)), (_STEEL, _BRASS),
        ((232, 228, 218), (176, 196, 206), (204, 196, 178), (116, 146, 166)),
        ((44, 88, 124), (96, 160, 164), (214, 140, 110), (220, 196, 140)), ((200, 168, 128),),
        ((240, 240, 236), (220, 232, 236), (232, 236, 230)),
        (("beadboard", ((206, 222, 228), (164, 192, 204))), ("boards", ((238, 238, 232), (206, 222, 228))),
        ("plaster", ((150, 182, 196),))),
        ("stripes", "leaves"), ("planks", "planks"), ((206, 190, 164), (186, 170, 146)),
        ("hex_tiles", "pattern_tiles"), ((222, 224, 222), (150, 178, 190)), ((238, 238, 234), (150, 180, 192)),
        (("marble", (236, 236, 234)), ("wood", _OAK)), ((238, 238, 232), (156, 190, 204)), 90,
        ("lines", "berber", "border"),
        _likes("shaker_leaf panelled_leaf cottage_leaf "
               "slip_sofa corner_sofa rattan_chair wing_chair spindle_chair cross_chair slat_bed panel_bed day_bed "
               "farm_table pedestal_table ladder_shelf cube_shelf louvre_wardrobe wide_dresser peg_dresser "
               "plinth_sideboard cabinet_stand basket_pendant lantern palm monstera framed_kitchen"),
    ),
    Style(
        "eclectic", ((_OAK, _DARK), (_TEAK, _WHITE), (_PINE, _WALNUT)), (_BRASS, _BLACK),
        ((52, 92, 92), (204, 192, 172), (170, 86, 74), (92, 88, 122)),
        ((212, 158, 52), (196, 92, 112), (46, 110, 86), (214, 108, 64), (72, 92, 156)), ((150, 94, 58), (54, 84, 70)),
        ((238, 232, 222), (228, 218, 206), (210, 222, 214)),

        (("plaster", ((44, 92, 92), (206, 140, 110), (120, 92, 124), (222, 178, 84))),
        ("brick", ((176, 104, 80), (226, 220, 210))), ("panelled", ((60, 92, 104), (158, 110, 104)))),
        ("leaves", "botanic", "diamonds", "damask"), ("herringbone", "planks", "parquet"), (_OAK, (150, 104, 68)),
        ("pattern_tiles", "checker_tiles", "hex_tiles"), ((214, 204, 188), (96, 128, 132)),
        ((44, 92, 88), (186, 120, 96), (232, 226, 214)),
        (("terrazzo", (226, 220, 212)), ("marble", (232, 228, 224)), ("wood", _OAK)),
        ((206, 150, 70), (60, 104, 108), (190, 110, 110)), 50, ("kilim", "persian", "geometric", "circles"),
        frozenset(),
    ),
    Style(
        "contemporary", (((120, 104, 90), _WHITE), (_GREY, (92, 80, 70)), (_WALNUT, _WHITE)), (_BLACK, _STEEL),
        ((164, 164, 164), (206, 202, 196), (92, 94, 98), (132, 126, 120)),
        ((52, 72, 92), (176, 136, 96), (110, 124, 110), (60, 60, 64)), ((60, 58, 58), (206, 198, 188)),
        ((236, 235, 232), (224, 223, 220), (214, 212, 208)),
        (("slats", ((132, 96, 66), (96, 92, 88))), ("concrete", ((176, 174, 170),)),
        ("plaster", ((120, 124, 122), (74, 84, 92)))),
        ("concrete", "grasscloth"), ("planks", "planks"), (_GREY, (176, 160, 140)),
        ("slab_tiles", "slab_tiles"), ((196, 194, 190), (140, 140, 142)),
        ((82, 84, 88), (238, 238, 236), (190, 184, 174)),
        (("marble", (238, 237, 235)), ("stone", (62, 62, 66))), ((196, 194, 190), (120, 122, 126)), 80,
        ("plain", "worn", "lines"),
        _likes("plain_leaf strip_leaf glazed_leaf "
               "sled_sofa corner_sofa chaise_sofa tub_chair padded_chair cantilever_chair padded_bed platform_bed "
               "glass_table plain_table tulip_table low_stand wall_screen sliding_wardrobe flat_wardrobe stack_shelf "
               "low_dresser plinth_sideboard standing_desk track ring_pendant arc_lamp snake fiddle slab_kitchen "
               "free_tub"),
    ),
)  # fmt: skip
OFFICES = ("contemporary", "industrial", "scandinavian", "mid-century")


def building_style(seed: str, kind: Kind) -> Style:
    """The style of a home, or of an office, which has its share of the same."""
    stream = Stream("world", seed, kind, "style")
    if kind == "office":
        name = stream.choice(OFFICES)
        return next(style for style in STYLES if style.name == name)
    return stream.choice(STYLES)
