"""Small files of every data set family, in the shapes in which their owners ship them."""

from __future__ import annotations

from typing import Any

FRAME: Any = {
    "episode_id": "1",
    "scene_id": "mp3d/x8F/x8F.glb",
    "start_position": [1.0, 0.0, -2.5],
    "start_rotation": [0, 0.7071068, 0, 0.7071068],
    "info": {"geodesic_distance": 3.25, "difficulty": "easy"},
}
POINT: Any = {"position": [2.0, 0.1, 0.0], "radius": 3.0}
VIEW: Any = {"agent_state": {"position": [1.0, 0.0, 0.5], "rotation": [0, 0, 0, 1]}, "iou": 0.4}
OBJECT: Any = {
    "position": [2.0, 0.5, 0.0],
    "object_id": 17,
    "object_name": "bed_17",
    "object_category": "bed",
    "room_id": None,
    "view_points": [VIEW, VIEW],
}
PHOTOGRAPH: Any = {
    "position": [1.0, 1.3, 0.5],
    "rotation": [0, 0, 0, 1],
    "hfov": 79,
    "image_dimensions": [640, 480],
    "frame_coverage": 0.3,
}
WALK: Any = {
    "path_id": 7,
    "scan": "tinyhouse",
    "path": ["a", "b", "c"],
    "heading": 3.751,
    "distance": 6.5,
    "instructions": ["Walk on. ", "Go, then stop!", "走到尽头。"],
}
SPOKEN: Any = {"instruction_text": "Leave the room.\r\n", "instruction_tokens": [12, 3, 0], "trajectory_id": 9}
TIMED: Any = {
    "instruction_id": 4,
    "instruction_text": "आगे चलें।",
    "language": "hi-IN",
    "annotator_id": "a",
    "edit_distance": 0.1,
    "timed_instruction": [{"word": "go", "start_time": 0.5, "end_time": 1}],
    "split": "val",
}
CE: Any = FRAME | {
    "episode_id": 1,
    "trajectory_id": 5,
    "goals": [POINT],
    "instruction": SPOKEN,
    "reference_path": [[1.0, 0.0, -2.5], [2.0, 0.1, 0.0]],
}
HIDDEN: Any = {key: value for key, value in FRAME.items() if key != "info"} | {"instruction": SPOKEN}
GROUND_TRUTH: Any = {
    "1": {"locations": [[1.0, 0.0, -2.5], [1.2, 0.0, -2.5]], "actions": [2, 1, 0], "forward_steps": 1},
    "2": {"locations": [[0, 0, 0]], "actions": [0], "forward_steps": 0},
}
SOUGHT: Any = FRAME | {"object_category": "bed", "goals": [], "start_room": None, "shortest_paths": None}
HM3D: Any = SOUGHT | {
    "scene_id": "hm3d/val/00800-TEEsavR23oF/TEEsavR23oF.basis.glb",
    "scene_dataset_config": "./a.json",
}
CATEGORIES: Any = {"category_to_task_category_id": {"bed": 0}, "category_to_scene_annotation_category_id": {"bed": 0}}
IMAGED: Any = FRAME | {"goal_object_id": "17", "goal_image_id": 0, "object_category": "bed", "goals": []}
DIALOG: Any = {
    "inst_idx": 3,
    "scan": "tinyhouse",
    "target": "plant",
    "dialog_history": [{"nav_idx": 1, "role": "navigator", "message": "left?"}, {"role": "oracle", "message": "Yes."}],
    "start_pano": {"heading": 1.5, "elevation": 17.5, "pano": "a"},
    "end_panos": ["b"],
    "planner_path": ["a", "b"],
    "player_path": ["a", "c", "b"],
}
PARTS: Any = {
    "new_instructions": "[[['Walk', 'on']], [['Go']], [['走']]]",
    "chunk_view": [[[1, 2]], [[1, 3]], [[2, 3]]],
}

SAID: Any = {
    "split": "val_seen",
    "instruction_id": 26,
    "annotator_id": 19,
    "language": "en-IN",
    "path_id": 11,
    "scan": "tinyhouse",
    "path": ["a", "b", "c"],
    "heading": 3.105381634905035,
    "instruction": "You are in a room with two doors. Leave by the left one.",
    "timed_instruction": [{"word": "You", "start_time": 0.4, "end_time": 1.0}, {"word": "are"}],
    "edit_distance": 0.11137440758293839,
}

SEEN: Any = {
    "path_id": "3",
    "scan": "tinyhouse",
    "path": ["a", "b", "c"],
    "instructions": [{"obj_name": "chair", "attribute": "It is red.", "full": "Find a red chair by the window."}],
    "bboxes": [
        {"image_id": "c", "obj_name": "chair", "target": {"center": {"heading": 1.2, "elevation": -0.3}}},
        {"image_id": "b", "obj_name": None, "target": {"center": {"heading": 0.2, "elevation": -0.1}}},
    ],
}
ISAAC: Any = {
    "episode_id": 5,
    "trajectory_id": "kujiale_0003_5",
    "scan": "kujiale_0003",
    "start_position": [1.0, 2.0, 0.5],
    "start_rotation": [0.9659258, 0.0, 0.0, 0.2588190],
    "reference_path": [[1.0, 2.0, 0.5], [2.7320508, 3.0, 0.5]],
    "instruction": {
        "instruction_text": {"formal": "Proceed to the sofa.", "casual": "Head over to the sofa."},
        "instruction_tokens": {"formal": [4, 5, 0], "casual": [6, 7, 0]},
    },
    "info": {"geodesic_distance": 2.0},
}
TALK: Any = {
    "idx": 12,
    "scan": "tinyhouse",
    "target": "plant",
    "start_pano": "a",
    "end_panos": ["c"],
    "dialog_history": [
        {"nav_idx": 1, "role": "navigator", "message": "Left or right?"},
        {"nav_idx": 1, "role": "oracle", "message": "Left."},
    ],
    "nav_camera": [{"nav_idx": 1, "dia_idx": 0, "message": [{"heading": 0.7, "elevation": 0.1}]}],
    "nav_steps": ["a", "b", "c"],
    "planner_nav_steps": ["a", "b", "c"],
    "stop_history": [2],
    "problem": 0,
}
CYLINDERS: Any = FRAME | {
    "start_rotation": [0, 1.4142136, 0, 1.4142136],
    "goals": [
        {"position": [2.0, 0.1, 0.0], "object_category": "cylinder_red", "room_id": None, "room_name": None},
        {"position": [4.0, 0.1, 1.0], "object_category": "cylinder_blue", "room_id": None, "room_name": None},
    ],
}
OPEN_WORDS: Any = FRAME | {"object_category": "seat", "goals": [], "children_object_categories": ["stool", "throne"]}
CHAIR: Any = OBJECT | {"object_id": "chair_12", "object_category": "chair", "children_object_categories": ["stool"]}
GOAT: Any = {
    "episodes": [
        FRAME
        | {
            "goals": [],
            "tasks": [
                ["chair", "object", None],
                ["chair", "image", "chair_12", 0],
                ["chair", "description", "stool_3"],
            ],
        }
    ],
    "goals": {
        "x8F.glb_chair": [CHAIR | {"image_goals": [PHOTOGRAPH], "lang_desc": "the chair by the window"}],
        "x8F.glb_stool": [
            OBJECT | {"object_id": "stool_3", "object_category": "stool", "lang_desc": "a stool of three legs"}
        ],
    },
}

UNSUPPORTED: tuple[tuple[str, Any], ...] = (
    ("eqa", {"episodes": [FRAME | {"question": {"question_text": "what color is the bed?", "answer_text": "blue"}}]}),
    ("soon-raw", [{**{k: v for k, v in SEEN.items() if k != "path_id"}, "path": [["a", "b"], ["b", "c"]]}]),
)
"""Known data sets that nobody here reads."""
DOCUMENTS: tuple[tuple[str, Any], ...] = (
    ("pointnav", {"episodes": [FRAME | {"goals": [POINT]}]}),
    ("r2r", [WALK, WALK | {"path_id": 8, "path": ["a"]}]),
    ("r4r", [WALK | {"first_path_id": 1, "second_path_id": 2}]),
    ("rxr", [SAID, SAID | {"instruction_id": 27, "language": "te-IN", "instruction": "ఎడమ వైపు"}]),
    ("reverie", [WALK | {"id": "7_66", "objId": 66, "ix": 208, "instructions_l": ["Walk on."]}]),
    ("soon", [SEEN, SEEN | {"path_id": "4", "path": ["b", "c"]}]),
    ("vlnverse", {"episodes": [ISAAC, ISAAC | {"episode_id": 6, "instruction": {"instruction_text": "Walk."}}]}),
    ("cvdn", [TALK, {key: TALK[key] for key in ("idx", "scan", "target", "start_pano", "nav_steps")} | {"idx": 13}]),
    ("goat", GOAT),
    ("multion", CATEGORIES | {"episodes": [CYLINDERS]}),
    (
        "objectnav",
        {"episodes": [OPEN_WORDS], "goals_by_category": {"x8F.glb_seat": [OBJECT], "x8F.glb_stool": [OBJECT]}},
    ),
    ("fgr2r", [WALK | PARTS]),
    ("ndh", [DIALOG, DIALOG | {"inst_idx": 4, "end_panos": [], "planner_path": [], "player_path": []}]),
    ("r2r-ce", {"episodes": [CE, HIDDEN | {"episode_id": 2}], "instruction_vocab": {"word_list": ["a"]}}),
    ("rxr-ce", {"episodes": [CE | {"instruction": TIMED}]}),
    ("objectnav", CATEGORIES | {"episodes": [SOUGHT], "goals_by_category": {"x8F.glb_bed": [OBJECT]}}),
    ("objectnav", {"episodes": [HM3D], "goals_by_category": {"TEEsavR23oF.basis.glb_bed": [OBJECT]}} | CATEGORIES),
    ("objectnav", {"episodes": [FRAME | {"goals": [OBJECT]}]}),
    ("imagenav", [FRAME | {"goals": [POINT]}]),
    ("imagenav", {"episodes": [FRAME | {"goals": [POINT], "start_room": None}]}),
    ("instance-imagenav", {"episodes": [IMAGED], "goals": {"x8F_17": OBJECT | {"image_goals": [PHOTOGRAPH]}}}),
)
