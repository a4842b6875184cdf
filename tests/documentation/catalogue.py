"""What can be named in a configuration: benchmarks, tasks, actions and sensors, from their own descriptions."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from documentation.language import translate
from documentation.markdown import about, code, names, prose, table
from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.config.schema import Config, SensorConfig, SimulatorConfig
from nav_eval.core.definitions import Definition, definitions
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.metrics.registry import METRICS, known_definitions
from nav_eval.simulator.backends.custom import CustomSession
from nav_eval.simulator.backends.external_session import ExternalSession
from nav_eval.simulator.backends.nav_graph import NavGraphSession
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.tasks.registry import TASKS
from nav_eval_sdk.protocol.actions import ACTIONS
from nav_eval_sdk.protocol.specs import Argument

METRICS_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
SESSIONS = {
    "custom": CustomSession,
    "external": ExternalSession,
    "nav_graph": NavGraphSession,
    "unity": ExternalSession,
}
RULES = {
    "position": "a goal's position",
    "view_points": "a view point of a goal",
    "reference_end": "the end of the reference path",
}
AROUND = ((320, "W/2"), (640, "W"))
DIMENSIONS: Mapping[str, Sequence[tuple[int, str]]] = {
    "skybox": ((512, "S"),),
    "panorama": AROUND,
    "depth_panorama": AROUND,
}


def benchmarks() -> Iterator[str]:
    found = {name: load_config(name, environment={}) for name in builtin_benchmarks()}
    rows = [(f"[{code(name)}](#{name})", prose(config.benchmark.description)) for name, config in found.items()]
    yield from table(("Benchmark", "What it is"), rows)
    for name, config in found.items():
        yield from (f"### {name} {{ #{name} }}", "", f"{prose(config.benchmark.description)}{translate('.')}")
        yield from table(("What", "Value"), (map(translate, row) for row in _benchmark(config)))


def _benchmark(config: Config) -> Iterator[tuple[str, str]]:
    task, simulator = TASKS.get(config.task.type)(config), config.simulator
    rule = str(config.task.goal_rule or getattr(task, "goal_rule", "position"))
    moves = f", at most {config.evaluation.max_moves} `move_to`" if config.evaluation.max_moves else ""
    yield "Profile", f"{code(config.benchmark.profile)} version {config.benchmark.version}"
    yield "Task", f"[{code(config.task.type)}](#task-{config.task.type.replace('_', '-')})"
    yield "Backend", code(simulator.backend)
    yield "Actions", names(config.task.actions or task.actions)
    yield "Episode ends", f"at `stop`, or after {config.evaluation.max_steps} actions{moves}"
    yield "Success when", _success(config, rule)
    yield "Sensors", ", ".join(_sensor(name, sensor) for name, sensor in simulator.sensors.items())
    yield "Goal sensors", names(name for name in task.sensors if name not in simulator.sensors) or "none of its own"
    yield "Measures", names(config.task.measurements or task.measurements)
    yield "Motion", _motion(config)
    if simulator.backend == "custom":
        yield "Body", _body(config)
    yield "Data", _data(config)
    if simulator.scenes_dir or simulator.connectivity_dir:
        yield "Scenes", code(simulator.scenes_dir or simulator.connectivity_dir)


def _success(config: Config, rule: str) -> str:
    said = {"stop": "`stop` was called", "final": "the last position is", "nodes": "the last viewpoint is"}
    return f"{said[config.task.success_rule]} less than {config.evaluation.success_distance:g} m from {RULES[rule]}"


def _sensor(name: str, sensor: SensorConfig) -> str:
    size = f" {sensor.width}x{sensor.height}" if sensor.width else ""
    lens = [f"{sensor.hfov:g} degrees"] if sensor.hfov else []
    depth = [f"{sensor.min_depth:g} to {sensor.max_depth:g} m"] if sensor.max_depth else []
    optics = ", ".join(map(translate, lens + depth))
    return f"{code(name)}{size}" + (f" ({optics})" if optics else "")


def _motion(config: Config) -> str:
    motion = config.simulator.motion
    turns = f"turns {motion.turn_angle:g} degrees, tilts {motion.tilt_angle:g} degrees"
    if config.simulator.backend == "nav_graph":
        return turns
    return f"forward {motion.forward_step:g} m, {turns}, {'slides along' if motion.sliding else 'stops at'} walls"


def _body(config: Config) -> str:
    body = config.simulator.body
    return f"height {body.height:g} m, radius {body.radius:g} m, camera at {body.camera_height:g} m"


def _data(config: Config) -> str:
    data = config.dataset
    if data.data_path:
        return f"{code(data.data_path)} (type {code(data.type)}, split {code(data.default_split)})"
    assert data.generate is not None, "a benchmark has data"
    made = f"generated from the seed {code(data.generate.seed)}, worlds v{data.generate.version}"
    return f"{made} (split {code(data.default_split)})"


def tasks() -> Iterator[str]:
    for name in TASKS:
        task: Any = TASKS.get(name)
        yield from (f"### {name} {{ #task-{name.replace('_', '-')} }}", "", prose(about(task)))
        yield from table(("What", "Value"), (map(translate, row) for row in _task(task)))


def _task(task: Any) -> Iterator[tuple[str, str]]:
    yield "Actions", names(task.actions)
    yield "Goal sensors", names(task.sensors)
    yield "Distances go to", RULES[task.goal_rule]
    yield "Measures", names(task.measurements)
    if task.own_metrics:
        told = definitions(task.own_metrics.values())
        own = (f"{code(name)}: {prose(told[name].about)}" + translate(".") for name in told)
        yield "Metrics of its own", " ".join(own)


def metrics() -> Iterator[str]:
    """Every metric of ours; one that the rest of the page tells more of is a link to it."""
    written = METRICS_PAGE.read_text(encoding="utf-8")
    table_of_all = re.search(r"<!-- generated: metrics -->.*?<!-- end of metrics -->", written, re.DOTALL)
    by_hand = written.replace(table_of_all[0], "") if table_of_all else written
    anchors = {one or other for one, other in re.findall(r'\{ #(\w+) \}|<span id="(\w+)"', by_hand)}
    rows = [_metric(name, definition, name in anchors) for name, definition in own_metrics().items()]
    yield from table(("Metric", "In reports", "What it is", "Unit", "Better"), rows)


def own_metrics() -> dict[str, Definition]:
    """What our metrics say of themselves: the registered ones, and those that a task of ours brings."""
    ours = [name for name in METRICS if METRICS.get(name).__module__.startswith("nav_eval.")]
    tasks: list[Any] = [TASKS.get(name) for name in TASKS]
    brought = [one for task in tasks for one in getattr(task, "own_metrics", {}).values()]
    return known_definitions(ours, {}) | definitions(one for one in brought if one.__module__.startswith("nav_eval."))


def _metric(name: str, definition: Definition, linked: bool) -> tuple[str, ...]:
    called = f"[{code(name)}](#{name})" if linked else f'<span id="{name}"></span>{code(name)}'
    better = translate(definition.better) if definition.better else "-"
    unit = definition.unit or ("-" if definition.kind == "record" else "0, 1" if definition.kind == "rate" else "count")
    return called, prose(definition.label), prose(definition.about), translate(unit), better


def actions() -> Iterator[str]:
    rows = [
        (code(name), ", ".join(map(_argument, action.arguments, action.arguments.values())) or translate("none"))
        for name, action in ACTIONS.items()
    ]
    yield from table(("Action", "Arguments"), rows)


def _argument(name: str, argument: Argument) -> str:
    limits = _range(*argument.bounds)
    return " ".join(word for word in (code(name), f"({argument.unit})" if argument.unit else "", limits) if word)


def sensors() -> Iterator[str]:
    for name in SENSORS:
        kind: Any = SENSORS.get(name)
        if not kind.__module__.startswith("nav_eval."):  # a plug-in's
            continue
        spec: Spec = kind(name, SensorConfig(), SimulatorConfig(skybox_dir="skyboxes")).spec
        yield from (f"### {name} {{ #{name} }}", "", prose(inspect.getdoc(kind) or spec.description), "")
        absent = (
            translate("{reading} or `None`").format(reading=_form(name, spec)) if spec.optional else _form(name, spec)
        )
        yield f"- {translate('Reading')}: {absent}{f', {spec.unit}' * bool(spec.unit)}"
        yield from (f"- {translate('Backends')}: {_backends(kind.needs)}", "")


def _backends(needs: Sequence[type]) -> str:
    able = [name for name, session in SESSIONS.items() if all(issubclass(session, need) for need in needs)]
    return names(able) if needs else translate("all")


def _form(name: str, spec: Spec) -> str:
    match spec:
        case TensorSpec():
            return f"{code(f'{spec.dtype} {_shape(name, spec.shape)}')} {_range(*spec.bounds)}".strip()
        case TextSpec():
            return translate("id of a viewpoint" if spec.is_node else "text")
        case NumberSpec():
            unit = f" ({spec.unit})" if spec.unit else ""
            return f"{translate('number')}{unit} {_range(*spec.bounds)}".strip()
        case ListSpec():
            return translate("list of {items}").format(items=_form(name, spec.item))
        case StructSpec():
            return "; ".join(f"{code(part)}: {_form(name, inner)}" for part, inner in spec.parts.items())
    raise AssertionError(f"unknown spec {spec}")


def _shape(name: str, shape: tuple[int, ...]) -> str:
    letters = {480: "H", 640: "W", **dict(DIMENSIONS.get(name, ()))}
    sizes = [str(letters.get(size, size)) for size in shape]
    return f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"


def _range(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return ""
    shown = [_number(limit) for limit in (low, high)]
    form = "at least {low}" if math.isinf(high) else "at most {high}" if math.isinf(low) else "{low} to {high}"
    return translate(form).format(low=shown[0], high=shown[1])


def _number(value: float) -> str:
    known = {part * math.pi: text for part, text in ((2, "2π"), (1, "π"), (0.5, "π/2"))}
    for exact, text in known.items():
        if abs(abs(value) - exact) < 1e-6:
            return f"-{text}" if value < 0 else text
    return f"{value:.10g}"
