"""What metrics are shown: to be read like any other value, and never changed by one for the others."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

import msgspec
import pytest

from nav_eval.core.actions import STOP, Action
from nav_eval.core.interfaces import Metric
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import StepRecord
from nav_eval.dataset.episode import Goal, ImageGoal, Instruction
from nav_eval.frozen import frozen
from nav_eval.metrics.registry import make_metrics
from nav_eval.testing import fake_context, fake_episode, fake_walk

BUILT_IN = ("success", "spl", "ndtw", "trajectory")
EVENTS = {"people": {"poses": [[1.0, 0.0, 2.0, 0.5]], "touched": []}}


def make_context_and_steps():
    """A context and steps with something in every corner."""
    image = ImageGoal(position=(0, 0, 0), rotation=(0, 0, 0, 1), hfov=90, image_size=(1, 1), extra={"k": {}})
    episode = fake_episode()
    goals = tuple(replace(goal, image_goals=(image,), extra={"k": [1]}) for goal in episode.goals)
    told = Instruction(text="Walk.", extra={"k": [[1]]})
    episode = replace(episode, goals=goals, instruction=told, info={"k": {"k": 1}}, extra={"k": [{"k": 1}]})
    context = replace(fake_context(episode, reach=1.0), episode=episode)
    steps = [replace(step, events=copy.deepcopy(EVENTS)) for step in fake_walk()]
    turn = Action("turn_by", {"angle": [0.5]})
    return context, [replace(steps[0], action=turn), *steps[1:]]


def measured(*more):
    measurements = Measurements([*make_metrics(BUILT_IN), *more])
    context, steps = make_context_and_steps()
    measurements.reset(context)
    for step in steps:
        measurements.update(step)
    return measurements, context, steps


class Meddler(Metric):
    """Changes what it is shown; with nothing to change its value is 1."""

    name, category, requires = "meddler", "navigation", ("success", "trajectory")

    def reset_metric(self, context):
        self.context = context

    def update_metric(self, step, others):
        self.meddle(self.context, step, others)

    def meddle(self, context, step, others): ...

    def get_metric(self):
        return 1.0


def assign(holder, key, value):
    holder[key] = value


WAYS = {
    "success": lambda c, s, o: assign(o, "success", 0.0),
    "another's record": lambda c, s, o: o["trajectory"].append({}),
    "inside a record": lambda c, s, o: assign(o["trajectory"][0], "position", 0),
    "deep in a record": lambda c, s, o: assign(o["trajectory"][0]["position"], 0, 9.0),
    "events": lambda c, s, o: assign(s.events, "people", 0),
    "a person": lambda c, s, o: assign(s.events["people"]["poses"][0], 0, 9.0),
    "events of no simulator": lambda c, s, o: assign(StepRecord(STOP, s.state).events, "k", 1),
    "an argument": lambda c, s, o: s.action.args.update(angle=1),
    "in an argument": lambda c, s, o: s.action.args.get("angle", frozen([])).clear(),
    "an argument of stop": lambda c, s, o: assign(STOP.args, "k", 1),
    "goals": lambda c, s, o: c.goals.clear(),
    "reference": lambda c, s, o: c.reference.append(c.goals[0]),
    "info": lambda c, s, o: assign(c.episode.info["k"], "k", 2),
    "extra": lambda c, s, o: c.episode.extra["k"].append(1),
    "in extra": lambda c, s, o: c.episode.extra["k"][0].pop("k"),
    "of an episode without": lambda c, s, o: assign(fake_episode().info, "k", 1),
    "a goal's": lambda c, s, o: c.episode.goals[0].extra["k"].sort(),
    "a goal's without": lambda c, s, o: assign(Goal().extra, "k", 1),
    "a picture's": lambda c, s, o: assign(c.episode.goals[0].image_goals[0].extra["k"], "k", 1),
    "an instruction's": lambda c, s, o: c.episode.instruction.extra["k"][0].reverse(),
    "options": lambda c, s, o: c.settings.options.update(reach=2.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_metric_changes_nothing_that_another_is_shown(way):
    fair, context, steps = measured(Meddler())
    meddler = Meddler()
    meddler.meddle = WAYS[way]
    foul, same, walked = measured(meddler)
    assert fair.values == {**foul.values, "meddler": 1.0}
    assert list(foul.faults) == ["meddler"]
    assert any(said in foul.faults["meddler"] for said in ("read-only", "mappingproxy", "'tuple'"))
    assert (same.episode, same.goals, same.reference, same.settings) == (
        context.episode,
        context.goals,
        context.reference,
        context.settings,
    )
    assert walked == steps


def test_a_name_that_a_plug_in_keeps_something_under_is_none_of_ours():
    keeper = Meddler()
    keeper.requires = ()
    keeper.reset_metric = lambda context: context.shared.update(reference="mine")
    keeper.meddle, keeper.context = (lambda context, step, others: None), None
    measurements = Measurements([keeper, *make_metrics(BUILT_IN)])
    measurements.reset(make_context_and_steps()[0])
    assert not measurements.faults


def test_to_a_reader_it_is_what_it_was_made_of():
    plain = {"a": [1, {"b": [2.0, None]}], "c": (1, [2])}
    cold = frozen(plain)
    assert cold == plain
    assert isinstance(cold, dict)
    assert isinstance(cold["a"], list)
    assert json.dumps(cold) == json.dumps(plain)
    assert msgspec.json.encode(cold) == msgspec.json.encode(plain)
    assert {**cold, "d": 1} | {"e": 2} == plain | {"d": 1, "e": 2}
    assert frozen(cold) is cold


def test_a_copy_is_plain_again_and_another_process_gets_no_other_thing():
    plain = {"a": [1, {"b": []}]}
    copied = copy.deepcopy(frozen(plain))
    copied["a"][1]["b"].append(1)
    assert plain == {"a": [1, {"b": []}]}
    there = pickle.loads(pickle.dumps(StepRecord(Action("go", plain), fake_walk()[0].state, events=plain)))
    assert there.events == there.action.args == plain
    for holder in (there.events["a"], there.action.args["a"]):
        with pytest.raises(TypeError, match="read-only"):
            holder.append(1)
