"""The table of docs/data.md: what is done with each data set of the field, and the tests by which it is known.

A test sees to it that every type has a row, and that the tests named here exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from documentation.language import translate
from documentation.markdown import code, names, table
from nav_eval.dataset.signs import UNSUPPORTED

FORMATS, WHOSE = "dataset/test_formats.py::", "dataset/test_every_reader.py::"
READ = "dataset/test_every_reader.py::test_it_is_recognised_and_has_no_faults"
ALONE = "dataset/test_every_reader.py::test_a_file_is_read_as_what_it_is_or_not_at_all"
REFUSED = "dataset/test_every_reader.py::test_what_is_known_and_not_supported_is_refused_by_its_name"


@dataclass(frozen=True)
class Row:
    """`scored`: "yes", or what is missing. `checked`: what the scores or the reading were held against."""

    name: str
    type: str
    scored: str
    conventions: tuple[str, ...]
    checked: str
    tests: tuple[str, ...]


GRAPH = ("r2r-eval", "duet", "hamt")
PUBLISHED = "metrics/test_published.py::"
PLAYED = "end_to_end/test_r2r.py::test_reference_values_online_offline_rescored_and_replayed"
OFFICIAL = "the official script and an evaluator of our own, val_seen"
FORMULAS = "Habitat's formulas; released files"
ROWS = (
    Row("R2R", "r2r", "yes", GRAPH, OFFICIAL, (PLAYED,)),
    Row("R4R", "r4r", "yes", GRAPH, OFFICIAL, (f"{PUBLISHED}test_r4r_equals_an_independent_evaluation",)),
    Row("FG-R2R", "fgr2r", "yes", GRAPH, "released files", (f"{FORMATS}test_fgr2r_keeps_sub_instructions",)),
    Row(
        "RxR", "rxr", "yes", ("rxr",), "the sample of its README, to 0.003",
        ("dataset/test_rxr.py::test_the_sample_of_its_readme_scores_as_google_says",),
    ),
    Row(
        "REVERIE", "reverie", "yes, RGS and RGSPL of submissions", ("reverie",), "DUET's formulas, written anew",
        ("dataset/test_reverie.py::test_it_is_scored_as_duet_does", "dataset/test_reverie.py::test_it_is_played"),
    ),
    Row(
        "SOON", "soon", "yes; no polygons", ("soon",), "DUET's formulas, written anew",
        (f"{WHOSE}test_soon_tells_the_whole_description", f"{WHOSE}test_soon_and_cvdn_are_played",
         "dataset/test_soon.py::test_it_is_scored_as_duet_does"),
    ),
    Row(
        "CVDN", "cvdn", "yes", ("ndh",), "its description of the keys",
        (f"{WHOSE}test_a_dialogue_is_the_instruction_of_cvdn", f"{WHOSE}test_soon_and_cvdn_are_played"),
    ),
    Row("NDH", "ndh", "yes", ("ndh",), "the authors' scores of a model", (f"{PUBLISHED}test_ndh_submission",)),
    Row(
        "R2R-CE", "r2r-ce", "yes", ("vln-ce",), "a published model's values for each episode",
        (f"{PUBLISHED}test_published_aggregate_of_a_ce_model", f"{PUBLISHED}test_r2r_ce_recorded_paths"),
    ),
    Row("RxR-CE", "rxr-ce", "yes", ("vln-ce",), "as R2R-CE; its form", (f"{FORMATS}test_rxr_ce_languages_and_roles",)),
    Row(
        "VLN-PE", "r2r-ce", "yes", ("vln-ce",), "its loader; R2R-CE's form",
        (f"{PUBLISHED}test_r2r_ce_recorded_paths",),
    ),
    Row(
        "VLNVerse; VLN-PE in Kujiale's houses", "vlnverse", "yes", ("vln-ce",), "its loader; never a released file",
        (f"{WHOSE}test_isaacs_frame_is_turned_and_every_manner_is_an_episode", f"{WHOSE}test_vlnverse_is_played"),
    ),
    Row("PointNav", "pointnav", "yes", (), FORMULAS, (f"{FORMATS}test_pointnav_scene_prefix_and_content",)),
    Row("ImageNav", "imagenav", "yes", (), FORMULAS, (f"{FORMATS}test_imagenav_reads_a_bare_list",)),
    Row(
        "ObjectNav MP3D, HM3D", "objectnav", "yes", ("habitat-2023",), FORMULAS,
        (f"{FORMATS}test_objectnav_resolves_goals",),
    ),
    Row(
        "HM3D-OVON", "objectnav", "yes", (), "its measures",
        (f"{WHOSE}test_ovons_kinds_of_a_category_are_goals_too",),
    ),
    Row("InstanceImageNav", "instance-imagenav", "yes", (), "Habitat's loader", (READ,)),
    Row(
        "MultiON", "multion", "yes; its objects are not drawn", (), "its formulas, by hand",
        (
            "tasks/test_tasks.py::test_multion_files_are_played_in_order",
            "tasks/test_tasks.py::test_spl_over_goals_counts_what_was_walked_until_each",
        ),
    ),
    Row(
        "GOAT-Bench", "goat", "yes", (), "its formulas, by hand",
        (
            "tasks/test_tasks.py::test_goat_files_are_played_in_order",
            "tasks/test_tasks.py::test_goat_scores_each_sub_task_from_where_it_began",
        ),
    ),
    Row(
        "your own episodes", "vln", "yes", ("spec",), "the specification",
        (f"{FORMATS}test_the_specifications_episode",),
    ),
)  # fmt: skip


def matrix() -> Iterator[str]:
    """Each is read, validated and played; what is only recognised comes last."""
    done = (
        (translate(r.name), code(r.type), translate(r.scored), names(r.conventions), translate(r.checked)) for r in ROWS
    )
    refused = ((translate(name), "", translate("refused by name"), "", "") for name, _ in UNSUPPORTED.values())
    head = ("Data set", "`dataset.type`", "Scored", "Conventions", "Checked against")
    yield from table(head, [*done, *refused])
