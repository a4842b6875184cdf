from __future__ import annotations

import math

import pytest

from nav_eval import ActionSpec, Argument
from nav_eval.core.actions import Action, ActionSpace
from nav_eval.errors import ConfigError, InvalidAction

SPACE = ActionSpace.of(["stop", "move_to", "velocity", "waypoint"])


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("stop", None),
        ("stop", {}),
        ("move_to", {"viewpoint": "a"}),
        ("velocity", {"linear": 0.5, "angular": -1, "duration": 0.0}),
        ("waypoint", {"range": 1, "heading": math.pi}),
    ],
)
def test_a_valid_action_is_taken_as_it_is(name, args):
    action = SPACE.parse(name, args)
    assert action.to_record() == {"action": name, "action_args": args or {}}


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("jump", {}),
        ("turn_left", {}),
        (None, {}),
        (3, {}),
        (["stop"], {}),
        ("stop", {"x": 1}),
        ("stop", []),
        ("stop", "x"),
        ("move_to", {}),
        ("move_to", {"viewpoint": 5}),
        ("move_to", {"viewpoint": None}),
        ("velocity", {"linear": math.nan, "angular": 0, "duration": 1}),
        ("velocity", {"linear": math.inf, "angular": 0, "duration": 1}),
        ("velocity", {"linear": 1, "angular": 0, "duration": -1}),
        ("velocity", {"linear": True, "angular": 0, "duration": 1}),
        ("velocity", {"linear": "1", "angular": 0, "duration": 1}),
        ("waypoint", {"range": 1, "heading": 100.0}),
        ("waypoint", {"range": 1}),
    ],
)
def test_anything_else_is_the_participants_fault(name, args):
    with pytest.raises(InvalidAction):
        SPACE.parse(name, args)


def test_a_message_never_grows_with_what_a_participant_sends():
    with pytest.raises(InvalidAction) as caught:
        SPACE.parse("x" * 1_000_000, {})
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ("stop", Action("stop")),
        (Action("stop"), Action("stop")),
        ({"action": "stop"}, Action("stop")),
        ({"action": "stop", "action_args": None}, Action("stop")),
        ({"action": "move_to", "action_args": {"viewpoint": "a"}}, Action("move_to", {"viewpoint": "a"})),
    ],
)
def test_an_action_in_any_of_its_forms(given, action):
    assert Action.of(given) == action


@pytest.mark.parametrize("given", [{}, {"name": "stop"}, 1, None, {"action": 1}])
def test_what_is_no_action(given):
    with pytest.raises(InvalidAction, match="'action'"):
        Action.of(given)


OWN = {
    "jump": ActionSpec({"metres": Argument(unit="m", low=0, high=3)}),
    "say": ActionSpec({"words": Argument("text")}),
}


def test_an_action_of_a_tasks_own_is_parsed_like_any_other():
    space = ActionSpace.of(["stop", "jump", "say"], OWN)
    assert space.parse("jump", {"metres": 2}) == Action("jump", {"metres": 2})
    for name, args, said in (
        ("jump", {"metres": 3.1}, r"'metres' of 'jump' must be in \[0, 3\]"),
        ("jump", {"meters": 1}, r"'jump' takes the arguments \['metres'\], not \['meters'\]"),
        ("say", {"words": 5}, "'words' of 'say' must be a string"),
    ):
        with pytest.raises(InvalidAction, match=said):
            space.parse(name, args)
    with pytest.raises(InvalidAction, match="'jump' is not one of stop"):
        ActionSpace.of(["stop"], OWN).parse("jump", {"metres": 1})


@pytest.mark.parametrize(
    ("names", "own", "said"),
    [
        (["jmup"], OWN, "'jmup'.*jump"),
        (["stop"], {"stop": ActionSpec()}, "'stop' is a built-in action"),
        (["go"], {"go": ActionSpec({"to": Argument("integer")})}, "'to' of 'go' is of kind 'integer'; kinds are float"),
    ],
)
def test_a_declaration_that_no_wire_could_carry_is_the_configurations_fault(names, own, said):
    with pytest.raises(ConfigError, match=said):
        ActionSpace.of(names, own)
