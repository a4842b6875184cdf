"""What can be configured, with the unit and the meaning of every value. The models are frozen: a run never edits them.

The layers of the specification (3.6): benchmark, task, simulator, dataset, evaluation, and beside them the
participant's service and the output. Unknown keys are errors; `nav-eval config schema` prints all this as JSON schema,
and docs/reference/configuration.md is made of it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Protocol, Self, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, model_validator

from nav_eval.config.generator import GENERATOR
from nav_eval.config.section import Section
from nav_eval.frozen import FrozenDict, frozen
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.simulator import Body, Motion

BODY, MOTION, DEADLINES = Body(), Motion(), Deadlines()


def _unit(name: str) -> Any:
    return Field(json_schema_extra={"unit": name})


def _degrees(radians: float) -> float:
    return round(math.degrees(radians), 9)


def _names(value: Any) -> Any:
    """One name, or several with commas between; an id may look like a number."""
    if isinstance(value, str):
        return tuple(value.split(","))
    if isinstance(value, tuple):
        return tuple(str(item) if type(item) is int else item for item in value)
    return (str(value),) if type(value) is int else value


def _without_null(value: Any) -> Any:
    return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value


Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_names)]
Count: TypeAlias = Annotated[int, Field(gt=0)]
Pixels: TypeAlias = Annotated[int, Field(gt=0, le=8192), _unit("pixels")]
Metres: TypeAlias = Annotated[float, Field(gt=0), _unit("m")]
Depth: TypeAlias = Annotated[float, Field(ge=0), _unit("m")]
Seconds: TypeAlias = Annotated[float, Field(gt=0), _unit("s")]
Megabytes: TypeAlias = Annotated[float, Field(gt=0), _unit("MB")]
Degrees: TypeAlias = Annotated[float, Field(gt=0), _unit("degrees")]
FieldOfView: TypeAlias = Annotated[float, Field(gt=0, lt=180), _unit("degrees")]
UpToUpright: TypeAlias = Annotated[float, Field(gt=0, le=90), _unit("degrees")]
Slope: TypeAlias = Annotated[float, Field(gt=0, lt=90), _unit("degrees")]
MetresPerSecond: TypeAlias = Annotated[float, Field(gt=0), _unit("m/s")]
DegreesPerSecond: TypeAlias = Annotated[float, Field(gt=0), _unit("degrees/s")]
Multiple: TypeAlias = Annotated[float, Field(ge=0), _unit("times")]


class BenchmarkConfig(Section):
    """What a benchmark is called. Name, profile and version are written beside every score."""

    name: str = Field("custom", description="the benchmark's name; the run directory is named after it")
    description: str = Field("", description="one line for `nav-eval list benchmarks` and for reports")
    profile: str = Field(
        "custom", description="name of the scoring rules; `compare` refuses runs of different profiles"
    )
    version: str = Field("1", description="version of the scoring rules, to be raised whenever a score would change")
    model: str | None = Field(
        None, description="the published model whose cameras and motion are set; `profile=NAME` sets it with them"
    )
    primary: str = Field("spl", description="the measure that `rank` and a report of several runs order entries by")


Convention: TypeAlias = Literal[
    "r2r-eval", "duet", "hamt", "vln-ce", "ndh", "reverie", "soon", "rxr", "habitat-2023", "spec"
]
"""Whose evaluator `task.convention` may name."""


class TaskConfig(Section):
    """What is asked of the agent, and how it is judged."""

    type: str = Field("vln", description="a name from `nav-eval list tasks`")
    actions: Names | None = Field(None, description="actions that the agent may take; null: the task's own")
    measurements: Names | None = Field(
        None, description="metrics to report, from `nav-eval list metrics`; []: none; null: the task's own"
    )
    convention: Convention | None = Field(
        None,
        description="whose evaluator is followed: success_rule, goal_rule, spl_length, repeats, dtw, reference and "
        "evaluation.success_distance become what that repository has; a key that is set itself wins; null: nobody's",
    )
    success_rule: Literal["stop", "final", "nodes", "seen"] = Field(
        "stop",
        description="stop: only a called STOP can succeed; final: the last position counts; nodes: REVERIE's; "
        "seen: SOON's",
    )
    goal_rule: Literal["position", "view_points", "reference_end"] | None = Field(
        None,
        description="what distances to the goal are measured to: the goals' positions, their view points, or the end "
        "of the reference path (NDH); null: the task's own rule",
    )
    dtw: Literal["exact", "fastdtw"] = Field(
        "exact", description="exact dynamic time warping, or the approximation that VLN-CE scores with (radius 1)"
    )
    reference: Literal["given", "densified", "gt"] | None = Field(
        None,
        description="what dtw, coverage and their kin compare with: the episode's reference_path as it is given, the "
        "same with points at most forward_step apart, or the expert's path (dataset.gt_path); null: gt where there is "
        "one, else densified; on a graph always its viewpoints",
    )
    spl_length: Literal["shortest", "reference"] = Field(
        "shortest",
        description="L of SPL: the shortest way to the goal, or the length of the reference path (DUET, HAMT)",
    )
    repeats: Literal["drop", "keep"] = Field(
        "drop", description="keep: in dtw a place counts once for each action that ends there, turns too (HAMT)"
    )
    ndtw_distance: Metres = Field(3.0, description="scale d of nDTW and of path coverage in exp(-DTW / (n d))")
    coverage_distance: Metres = Field(
        3.0, description="within which a reference point counts as passed in waypoint_coverage"
    )
    options: Annotated[dict[str, Any], AfterValidator(frozen)] = Field(
        default_factory=FrozenDict, description="what the task and the metrics take beyond these keys"
    )


class SensorConfig(Section):
    """One sensor. Its key is the name under which the agent finds it; an empty object takes all defaults."""

    type: str | None = Field(None, description="a name from `nav-eval list sensors`; null: the sensor's key")
    width: Pixels | None = Field(None, description="width of the image; null: the sensor type's default (640)")
    height: Pixels | None = Field(None, description="height of the image; null: the sensor type's default (480)")
    hfov: FieldOfView | None = Field(None, description="horizontal field of view; null: 90, for views of a panorama 60")
    min_depth: Depth | None = Field(None, description="depth is clipped to at least this; null: 0")
    max_depth: Metres | None = Field(None, description="depth is clipped to at most this; null: 10 (proximity: 2)")
    normalize: bool | None = Field(None, description="true: depth as (d - min) / (max - min), from 0 to 1")
    options: dict[str, Any] = Field(
        default_factory=dict, description="what this type of sensor takes beyond these keys"
    )


class BodyConfig(Section):
    """The agent's body: what the navmesh is built for, and where the camera sits."""

    height: Metres = Field(BODY.height, description="clearance that a place must have to be walkable")
    radius: Metres = Field(BODY.radius, description="distance that is kept from walls")
    camera_height: Metres = Field(BODY.camera_height, description="of the cameras above the floor")
    max_climb: Metres = Field(BODY.max_climb, description="highest step that can be walked up")
    max_slope: Slope = Field(_degrees(BODY.max_slope), description="steepest floor that can be walked")


class MotionConfig(Section):
    """What one action does."""

    forward_step: Metres = Field(MOTION.forward_step, description="length of move_forward")
    turn_angle: Degrees = Field(_degrees(MOTION.turn_angle), description="of turn_left and turn_right")
    tilt_angle: Degrees = Field(_degrees(MOTION.tilt_angle), description="of look_up and look_down")
    max_tilt: UpToUpright = Field(
        _degrees(MOTION.max_tilt), description="the camera tilts at most this far up and down"
    )
    sliding: bool = Field(MOTION.sliding, description="true: slide along an obstacle; false: stop at it")
    max_linear: MetresPerSecond = Field(MOTION.max_linear, description="limit of the action velocity, forward and back")
    max_angular: DegreesPerSecond = Field(
        _degrees(MOTION.max_angular), description="limit of the action velocity, left and right"
    )
    max_duration: Seconds = Field(MOTION.max_duration, description="limit of the action velocity")
    max_range: Metres = Field(MOTION.max_range, description="limit of the action waypoint")
    noise: str | None = Field(
        None,
        description="actuation noise of a robot and its controller: LoCoBot/ILQR, LoCoBot/Proportional or "
        "LoCoBot/Movebase; null: none",
    )
    noise_multiplier: Multiple = Field(1.0, description="of the actuation noise; 0 turns it off")


class PeopleConfig(Section):
    """Who else walks in the building (backend custom)."""

    count: Annotated[int, Field(ge=0, le=50)] = Field(
        0, description="people in every episode, drawn with the run's seed"
    )
    motion: str = Field("social_force", description="how they move, a name from `nav-eval list crowds`")
    wait_s: Seconds = Field(
        0.5, description="how long the action wait takes; under evaluation.clock=charged it is evaluation.step_s"
    )
    options: dict[str, Any] = Field(default_factory=dict, description="what this motion takes beyond these keys")


class SimulatorConfig(Section):
    """Where the agent walks and what it senses."""

    backend: str = Field("custom", description="a name from `nav-eval list simulators`")
    scenes_dir: str | None = Field(None, description="folder of scene files (backend custom)")
    connectivity_dir: str | None = Field(None, description="Matterport3D's connectivity graphs (backend nav_graph)")
    skybox_dir: str | None = Field(None, description="matterport_skybox_images (sensor skybox), if you have them")
    navmesh: bool = Field(True, description="true: read SCENE.navmesh where it exists; false: always build one")
    path_mode: Literal["detour", "exact"] = Field(
        "detour", description="geodesic distances: detour gives the numbers of Habitat, exact the shortest path"
    )
    renderer: Literal["cpu", "opengl", "auto"] = Field(
        "cpu",
        description="cpu: the same frames on every machine; opengl: faster on a graphics card; auto: opengl where "
        "there is a card and no antialiasing",
    )
    renderer_threads: Annotated[int, Field(ge=1, le=64)] = Field(
        1,
        description="threads that draw one frame (renderer cpu): 2 answers sooner where a core is idle; the frames are "
        "the same",
    )
    shading: Literal["auto", "unlit", "headlight"] = Field(
        "auto",
        description="unlit: colours as stored, like Habitat; headlight: light from the camera; auto: headlight for "
        "scenes without textures and vertex colours, or with a single colour",
    )
    antialiasing: bool = Field(
        False,
        description="true: colours at the edges of surfaces are blended (renderer cpu), as in benchmarks whose homes "
        "are generated; depth and semantics stay; Habitat draws without",
    )
    up: Literal["auto", "y", "z"] = Field(
        "auto", description="which axis of a scene file points up; auto: by its owner's layout"
    )
    scale: Annotated[float, Field(gt=0), _unit("m")] = Field(
        1.0,
        description="length of a scene file's unit, 0.001 where it is the millimetre; a .navmesh is in metres always",
    )
    endpoint: str | None = Field(None, description="host:port of a simulator that runs already (external, unity)")
    command: str | None = Field(
        None, description="command that starts a simulator (external); {port} becomes the port to listen at"
    )
    sensors: Annotated[dict[str, SensorConfig], BeforeValidator(_without_null)] = Field(
        default_factory=dict, description="sensors by name; the task adds those that tell its goal; null: leave it out"
    )
    body: BodyConfig = Field(BodyConfig(), description="the agent's body")
    motion: MotionConfig = Field(MotionConfig(), description="what one action does")
    physics: str = Field(
        "kinematic", description="how the body moves, a name from `nav-eval list physics` (backend custom)"
    )
    people: PeopleConfig = Field(PeopleConfig(), description="who else walks there")
    options: dict[str, Any] = Field(
        default_factory=dict, description="what this backend and its physics take beyond these keys"
    )


class GenerateConfig(Section):
    """Buildings and episodes made from a seed when they are first asked for, and kept in the cache."""

    generator: str = Field("homes", description="who makes them: a name from `nav-eval list generators`")
    version: Annotated[int, Field(ge=1)] = Field(
        GENERATOR,
        description="version of the generator: this release makes the last one only, and scores are filed under it; "
        "runs of earlier ones can still be read",
    )
    task: str | None = Field(None, description="the task whose episodes are made; null: task.type")
    seed: str = Field("demo", description="any text; a secret one makes a private test set")
    scenes: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None,
        description="number of buildings that are played: of train (and val_seen), val_unseen or test, of which no two "
        "share one, or of `all`; null: one, and three of `all`",
    )
    rooms: Annotated[int, Field(ge=1, le=50)] = Field(5, description="rooms of each building, corridors not counted")
    storeys: Annotated[int, Field(ge=1, le=2)] = Field(1, description="storeys of each building")
    kind: Literal["home", "office"] = Field("home", description="kind of building")
    detail: Annotated[int, Field(ge=1000, le=2_000_000)] = Field(30_000, description="triangles per building, about")
    per_scene: Count = Field(3, description="episodes (vln: paths) per building and split")


class DatasetConfig(Section):
    """Which episodes. They are filtered by scenes, languages and episodes; then comes `sample`, then `limit`."""

    type: str = Field("vln", description="a name from `nav-eval list datasets`; vln recognises R2R, RxR and their kin")
    data_path: str | None = Field(
        None,
        description="the data set's file; {split} becomes split, else default_split; null: `generate` makes the data",
    )
    gt_path: str | None = Field(
        None,
        description="reference trajectories (_gt file), for REVERIE its boxes (a file, or a folder of them); "
        "null: what lies beside data_path",
    )
    generate: GenerateConfig | None = Field(None, description="make buildings and episodes from a seed")
    split: str | None = Field(
        None, description="name of the split; null: what the file is known to be, by its content or its name"
    )
    default_split: str | None = Field(
        None, description="what {split} and generated data stand for where split is null; no label of any other file"
    )
    limit: Count | None = Field(None, description="only the first n episodes")
    sample: Count | None = Field(None, description="only n episodes, drawn with the run's seed")
    scenes: Names | None = Field(None, description="only episodes in these scenes, by id or bare name")
    languages: Names | None = Field(
        None, description="only instructions in these languages; en includes en-US and en-IN"
    )
    episodes: Names | None = Field(None, description="only these episode ids")
    faulty: Literal["refuse", "exclude"] = Field(
        "refuse",
        description="episodes that cannot be played (start off the navmesh, goal out of reach): "
        "refuse the run, or leave them out and say how many",
    )
    instructions_per_path: Count | None = Field(
        None,
        description="only the first n instructions of each path (R2R and its kin); R2R's official script scores 3; "
        "null: all",
    )
    max_bytes: Annotated[int, Field(gt=0), _unit("bytes")] = Field(
        4 << 30, description="largest decompressed size of one file; a larger one is refused"
    )


class ParallelConfig(Section):
    """`workers` processes with `sessions` episodes in flight each, as far as the service allows."""

    workers: Count = Field(1, description="processes")
    sessions: Count = Field(1, description="episodes in flight in each process")
    executor: Literal["local", "ray"] = Field("local", description="processes of this machine, or of a Ray cluster")
    address: str | None = Field(
        None, description="the Ray cluster's address; null: RAY_ADDRESS, else one is begun on this machine"
    )


class BudgetConfig(Section):
    """The organiser's limits, off by default.

    An episode that meets one gets the status budget_exceeded, and it is in no metric.
    """

    episode_seconds: Seconds | None = Field(None, description="wall-clock time of one episode")
    total_seconds: Seconds | None = Field(None, description="wall-clock time of the whole run")
    memory_mb: Megabytes | None = Field(
        None, description="growth of the evaluator's resident memory in an episode, after the scene is loaded"
    )


class EvaluationConfig(Section):
    """When an episode ends, what a success is, and how many episodes run at once."""

    max_steps: Count = Field(500, description="an episode ends after this many actions")
    max_moves: Count | None = Field(None, description="an episode ends after this many move_to (backend nav_graph)")
    max_chunk: Annotated[int, Field(ge=1, le=1000)] = Field(
        1, description="an agent may answer so many actions at once; they are carried out without further questions"
    )
    cut_at_collision: bool = Field(
        False, description="true: a collision drops what is left of such an answer, and the agent is asked again"
    )
    clock: Literal["lockstep", "charged"] = Field(
        "lockstep",
        description="lockstep: the world waits for every answer; charged: it goes on, and the time of an answer is "
        "taken from the episode",
    )
    latency_s: Annotated[float, Field(ge=0, le=3600), _unit("s")] | None = Field(
        None, description="what every answer is charged with, so that results repeat; null: the time it took"
    )
    step_s: Annotated[float, Field(ge=0.01, le=60), _unit("s")] = Field(
        0.5, description="under clock=charged so much time of an answer is a step; at most motion.max_duration"
    )
    success_distance: Metres = Field(3.0, description="a success is nearer to the goal than this, strictly")
    parallel: ParallelConfig = Field(ParallelConfig(), description="processes and sessions")
    budget: BudgetConfig = Field(BudgetConfig(), description="limits of time and memory")


class DeadlinesConfig(Section):
    """How long the evaluator waits for the participant's service."""

    connect: Seconds = Field(DEADLINES.connect, description="to open a connection")
    ready: Seconds = Field(DEADLINES.ready, description="until the service says that it is ready (its model is loaded)")
    reset: Seconds = Field(DEADLINES.reset, description="to begin an episode")
    act: Seconds | None = Field(None, description="for one action; null: agent_service.timeout")
    episode: Seconds | None = Field(None, description="for a whole episode; null: no limit")


class TlsConfig(Section):
    """PEM files. `ca` verifies the service; `cert` and `key` show who we are (mutual TLS)."""

    enabled: bool = Field(False, description="true: the connection is encrypted")
    ca: str | None = Field(None, description="authority that signed the service's certificate; null: the system's")
    cert: str | None = Field(None, description="our certificate, for mutual TLS")
    key: str | None = Field(None, description="our private key, for mutual TLS")


class AgentServiceConfig(Section):
    """The participant: an agent on this machine, or a service behind REST or gRPC."""

    type: Literal["local", "remote"] = Field("local", description="local: `agent` on this machine; remote: `endpoint`")
    agent: str = Field("random", description="a name from `nav-eval list agents`, or MODULE:CLASS (local)")
    protocol: Literal["rest", "grpc"] = Field("rest", description="what the service speaks (remote)")
    endpoint: str = Field("localhost:8085", description="host:port of the service (remote)")
    endpoints: Names = Field(
        (),
        description="host:port of each replica of the service, in place of `endpoint`: an episode goes to the least "
        "busy one, one that fails is left out until it is ready again",
    )
    allowed_networks: Names = Field(
        ("any",),
        description="where the service may lie: any, public, private, loopback, or networks such as 10.1.0.0/16; every "
        "address that its name has must be in one of them",
    )
    timeout: Seconds = Field(DEADLINES.act, description="for one action, unless deadlines.act is given")
    token: str | None = Field(None, repr=False, description="bearer token; better set NAV_EVAL_AGENT_SERVICE__TOKEN")
    token_file: str | None = Field(None, description="a file that holds the token, such as a container's secret")
    tls: TlsConfig = Field(TlsConfig(), description="encryption (remote)")
    encoding: str = Field(
        "auto",
        pattern=r"^(auto|json|msgpack|stream|unary)?(\+?(raw|zstd|png))?$",
        description="rest: msgpack or json; grpc: stream or unary; and how arrays are packed (raw, zstd or png): "
        "for example stream+zstd",
    )
    jpeg: Names = Field(
        (),
        description="sensors whose 8-bit images travel as JPEG to a service that takes it (remote): a tenth of the "
        "bytes, some of the detail; a rule of the benchmark",
    )
    disclosure: Literal["competition", "full"] = Field(
        "competition",
        description="competition: opaque ids, and poses relative to the start; full: the data set's own ids and poses",
    )
    secret: str | None = Field(
        None,
        repr=False,
        description="fixes the opaque ids; null: random, kept in the run directory; local: from `seed`",
    )
    deadlines: DeadlinesConfig = Field(DeadlinesConfig(), description="how long the service may take")
    retries: Annotated[int, Field(ge=0, le=100)] = Field(
        2, description="how often a request is sent again, unchanged, when its connection broke"
    )
    episode_restarts: Annotated[int, Field(ge=0, le=100)] = Field(
        2, description="how often an episode that the service lost is started again; 0: it has failed, the run goes on"
    )
    on_error: Literal["fail_episode", "stop"] = Field(
        "fail_episode", description="a fault of the service fails its episode, or stops the run (--resume goes on)"
    )

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, content: Any) -> Any:
        if not isinstance(content, dict) or "replays" not in content:
            return content
        if "episode_restarts" in content:
            raise ValueError("`replays` is the old name of `episode_restarts`: give one of them")
        warnings.warn(
            "agent_service.replays is now called agent_service.episode_restarts.", DeprecationWarning, stacklevel=2
        )
        return {"episode_restarts" if key == "replays" else key: value for key, value in content.items()}


class OutputConfig(Section):
    """What a run writes, and where."""

    log_dir: str = Field("logs/evaluations", description="parent of run directories")
    save_trajectories: bool = Field(True, description="write trajectories.jsonl, which rescore and replay need")
    video: str = Field(
        "none",
        pattern=r"^(none|failures|all|sample\(\d+\))$",
        description="episodes to film: none, failures, all, or sample(n) of them",
    )


class PerturbationConfig(Section):
    """One perturbation of what the agent senses, does or is told. The participant is not told of it."""

    name: str = Field(description="a name from `nav-eval list perturbations`")
    severity: Annotated[int, Field(ge=0)] = Field(
        1, description="how severe, from 1 to the most it knows; 0: not at all"
    )


class Origins(Protocol):
    """The layers that a configuration was made of."""

    def origin(self, key: str) -> str: ...

    def given_now(self, key: str) -> bool: ...


class Config(Section):
    """A whole evaluation."""

    _layers: Origins | None = PrivateAttr(None)
    plugins: Names = Field(
        (),
        description="modules to import first for what they register (tasks, metrics, ...); the working directory's too",
    )
    benchmark: BenchmarkConfig = Field(BenchmarkConfig(), description="name and scoring profile")
    task: TaskConfig = Field(TaskConfig(), description="what the agent has to do")
    simulator: SimulatorConfig = Field(SimulatorConfig(), description="where the agent moves and what it senses")
    dataset: DatasetConfig = Field(DatasetConfig(), description="which episodes")
    evaluation: EvaluationConfig = Field(EvaluationConfig(), description="limits, success, parallel runs")
    agent_service: AgentServiceConfig = Field(AgentServiceConfig(), description="the participant")
    output: OutputConfig = Field(OutputConfig(), description="what a run writes")
    perturbations: tuple[PerturbationConfig, ...] = Field(
        (),
        description="what makes the episodes harder, in this order: {name, severity} of each; names from "
        "`nav-eval list perturbations`, severities mostly 1 to 3, 0 is none",
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(
        0,
        description="of everything that is drawn: sample, sensor and actuation noise, perturbations, the agents' own "
        "seeds",
    )

    @property
    def layers(self) -> Origins | None:
        """What it was made of, where that is known."""
        return self._layers

    def from_layers(self, layers: Origins | None) -> Self:
        """The same, of these layers."""
        self._layers = layers
        return self

    def origin(self, key: str) -> str:
        """' [the command line]' or the like: what set `key`, for a message; '' where that is not known."""
        return "" if self._layers is None else f" {self._layers.origin(key)}"

    def given_now(self, key: str) -> bool:
        """Whether an override or the environment set `key` for this call; False where that is not known."""
        return self._layers is not None and self._layers.given_now(key)

    @property
    def title(self) -> str:
        """What scores are filed under: the benchmark, the model whose cameras and motion it has, and the version of the
        generator that makes its worlds.
        """
        made = self.dataset.generate if self.dataset.data_path is None else None
        name = f"{self.benchmark.name} as {self.benchmark.model}" if self.benchmark.model else self.benchmark.name
        if made is None:
            return name
        return f"{name}, {'worlds' if made.generator == 'homes' else made.generator} v{made.version}"

    @property
    def perturbed(self) -> Mapping[str, int]:
        """Name -> severity of what is perturbed; severity 0 is no perturbation."""
        return {one.name: one.severity for one in self.perturbations if one.severity}

    def blind(self) -> Config:
        """The same without sensors: scores and maps need poses, not pictures."""
        return self.model_copy(update={"simulator": self.simulator.model_copy(update={"sensors": {}})})
