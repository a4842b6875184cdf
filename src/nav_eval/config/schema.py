"""What can be configured, with the unit of every value. The models are frozen: a run never edits its configuration.

The layers of the specification (3.6): benchmark, task, simulator, dataset, evaluation, and beside them the
participant's service and the output. Unknown keys are errors; `nav-eval config schema` prints all this as JSON schema.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt


class Section(BaseModel):
    """Base of every section: frozen, no unknown keys, no NaN or infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class BenchmarkConfig(Section):
    """Name and scoring profile of a benchmark; both are written beside every score."""

    name: str = "custom"
    description: str = ""
    profile: str = "custom"
    version: str = "1"


class TaskConfig(Section):
    """What is asked of the agent. Without `actions` or `measurements` the task's own are used."""

    type: str = Field("vln", description="a name from `nav-eval list tasks`")
    actions: tuple[str, ...] | None = None
    measurements: tuple[str, ...] | None = None
    success_rule: Literal["stop", "final", "nodes"] = Field(
        "stop", description="stop: only a called STOP can succeed; final: the last position counts; nodes: REVERIE's"
    )
    goal_rule: Literal["position", "view_points", "reference_end"] | None = Field(
        None, description="what distance_to_goal is measured to; without it the task's own rule; reference_end: NDH's"
    )
    dtw: Literal["exact", "fastdtw"] = "exact"
    ndtw_distance: PositiveFloat = Field(3.0, description="m, the scale d of exp(-DTW / (n d))")
    coverage_distance: PositiveFloat = Field(3.0, description="m, within which a reference point counts as covered")


class SensorConfig(Section):
    """One sensor; its key is its name. `type` is a name from `nav-eval list sensors`, by default the key itself."""

    type: str | None = None
    width: Annotated[int, Field(gt=0, le=8192)] | None = Field(None, description="pixels")
    height: Annotated[int, Field(gt=0, le=8192)] | None = Field(None, description="pixels")
    hfov: Annotated[float, Field(gt=0, lt=180)] | None = Field(None, description="horizontal field of view, degrees")
    min_depth: Annotated[float, Field(ge=0)] | None = Field(None, description="m")
    max_depth: PositiveFloat | None = Field(None, description="m")
    normalize: bool | None = Field(None, description="depth as (d - min) / (max - min)")
    options: dict[str, Any] = Field(default_factory=dict, description="anything else that a sensor type takes")


class BodyConfig(Section):
    """The agent's body, metres and degrees; what the navmesh is built for and where the camera sits."""

    height: PositiveFloat = 1.5
    radius: PositiveFloat = 0.1
    camera_height: PositiveFloat = 1.25
    max_climb: PositiveFloat = 0.2
    max_slope: Annotated[float, Field(gt=0, lt=90)] = 45.0


class MotionConfig(Section):
    """What one action does: metres, degrees, seconds."""

    forward_step: PositiveFloat = 0.25
    turn_angle: PositiveFloat = 15.0
    tilt_angle: PositiveFloat = 30.0
    max_tilt: Annotated[float, Field(gt=0, le=90)] = 60.0
    sliding: bool = True
    max_linear: PositiveFloat = Field(1.0, description="m/s, limit of the action velocity")
    max_angular: PositiveFloat = Field(90.0, description="degrees/s, limit of the action velocity")
    max_duration: PositiveFloat = Field(2.0, description="s, limit of the action velocity")
    max_range: PositiveFloat = Field(5.0, description="m, limit of the action waypoint")
    noise: str | None = Field(None, description="actuation noise of a robot and controller, such as LoCoBot/ILQR")
    noise_multiplier: Annotated[float, Field(ge=0)] = 1.0


class SimulatorConfig(Section):
    """Where the agent walks and what it senses."""

    backend: str = Field("custom", description="a name from `nav-eval list simulators`")
    scenes_dir: str | None = None
    connectivity_dir: str | None = Field(None, description="Matterport3D connectivity graphs (backend nav_graph)")
    skybox_dir: str | None = Field(None, description="matterport_skybox_images (backend nav_graph), if you have them")
    navmesh: bool = Field(True, description="read <scene>.navmesh where it exists; false: always build one")
    path_mode: Literal["detour", "exact"] = "detour"
    renderer: Literal["cpu", "opengl", "auto"] = "cpu"
    shading: Literal["auto", "unlit", "headlight"] = Field("auto", description="auto: light scenes without any texture")
    up: Literal["auto", "y", "z"] = "auto"
    endpoint: str | None = Field(None, description="host:port of an external simulator")
    command: str | None = Field(None, description="command that starts an external simulator")
    sensors: dict[str, SensorConfig] = Field(default_factory=dict)
    body: BodyConfig = BodyConfig()
    motion: MotionConfig = MotionConfig()
    options: dict[str, Any] = Field(default_factory=dict, description="anything else that a backend takes")


class GenerateConfig(Section):
    """Buildings and episodes made from a seed when they are first asked for, and kept in the cache."""

    seed: str = Field("demo", description="any text; a secret one makes a private test set")
    scenes: Annotated[int, Field(ge=1, le=1000)] = 3
    rooms: Annotated[int, Field(ge=1, le=50)] = 5
    storeys: Annotated[int, Field(ge=1, le=2)] = 1
    kind: Literal["home", "office"] = "home"
    detail: Annotated[int, Field(ge=1000, le=2_000_000)] = Field(30_000, description="triangles per building")
    per_scene: PositiveInt = Field(3, description="episodes (vln: paths) per building and split")


class DatasetConfig(Section):
    """Which episodes. `data_path` may hold {split}; without it, `generate` makes the data."""

    type: str = Field("vln", description="a name from `nav-eval list datasets`")
    data_path: str | None = None
    gt_path: str | None = Field(None, description="the _gt file beside it is found without this")
    generate: GenerateConfig | None = None
    split: str = "val_seen"
    limit: PositiveInt | None = Field(None, description="the first n episodes")
    sample: PositiveInt | None = Field(None, description="n episodes drawn with the run's seed")
    scenes: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    episodes: tuple[str, ...] | None = Field(None, description="episode ids")
    max_bytes: PositiveInt = Field(4 << 30, description="largest decompressed size of one file")


class ParallelConfig(Section):
    """`workers` processes with `sessions` episodes in flight each, as far as the service allows."""

    workers: PositiveInt = 1
    sessions: PositiveInt = 1
    executor: Literal["local", "ray"] = "local"
    address: str | None = Field(None, description="Ray cluster address; without it Ray decides")


class BudgetConfig(Section):
    """Limits that are off by default; an episode that meets one gets the status budget_exceeded."""

    episode_seconds: PositiveFloat | None = None
    total_seconds: PositiveFloat | None = None
    memory_mb: PositiveFloat | None = None


class EvaluationConfig(Section):
    max_steps: PositiveInt = 500
    max_moves: PositiveInt | None = Field(None, description="nav graph: at most this many move_to")
    success_distance: PositiveFloat = Field(3.0, description="m, strict")
    parallel: ParallelConfig = ParallelConfig()
    budget: BudgetConfig = BudgetConfig()


class DeadlinesConfig(Section):
    """Seconds. `act` is the specification's `timeout` unless it is given."""

    connect: PositiveFloat = 10.0
    ready: PositiveFloat = 300.0
    reset: PositiveFloat = 60.0
    act: PositiveFloat | None = None
    episode: PositiveFloat | None = None


class TlsConfig(Section):
    """PEM files. `ca` verifies the service; `cert` and `key` show who we are (mutual TLS)."""

    enabled: bool = False
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


class AgentServiceConfig(Section):
    """The participant. local: `agent` is a name from `nav-eval list agents` or MODULE:CLASS."""

    type: Literal["local", "remote"] = "local"
    agent: str = "random"
    protocol: Literal["rest", "grpc"] = "rest"
    endpoint: str = "localhost:8085"
    timeout: PositiveFloat = Field(30.0, description="s, for one action")
    token: str | None = Field(None, description="bearer token; better set NAV_EVAL_AGENT_SERVICE__TOKEN")
    tls: TlsConfig = TlsConfig()
    encoding: str = Field(
        "auto",
        pattern=r"^(auto|json|msgpack|stream|unary)?(\+?(raw|zstd|png))?$",
        description="rest: msgpack or json; grpc: stream or unary; and how arrays are packed, for example stream+zstd",
    )
    disclosure: Literal["competition", "full"] = "competition"
    secret: str | None = Field(None, description="fixes the opaque ids; without it the run directory keeps one")
    deadlines: DeadlinesConfig = DeadlinesConfig()
    retries: Annotated[int, Field(ge=0, le=100)] = 2
    on_error: Literal["fail_episode", "stop"] = "fail_episode"


class OutputConfig(Section):
    log_dir: str = Field("logs/evaluations", description="parent of run directories")
    save_trajectories: bool = True
    video: str = Field("none", pattern=r"^(none|failures|all|sample\(\d+\))$")


class Config(Section):
    """A whole evaluation."""

    benchmark: BenchmarkConfig = BenchmarkConfig()
    task: TaskConfig = TaskConfig()
    simulator: SimulatorConfig = SimulatorConfig()
    dataset: DatasetConfig = DatasetConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    agent_service: AgentServiceConfig = AgentServiceConfig()
    output: OutputConfig = OutputConfig()
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
