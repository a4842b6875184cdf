"""The commands of `nav-eval`, in the groups of its help and of the README. None is imported before it is called."""

from __future__ import annotations

from dataclasses import dataclass, field

from nav_eval.cli.chinese import spoken


@dataclass(frozen=True)
class Command:
    """One command, or one that holds others."""

    about: str
    target: str = ""
    """module:function."""
    example: str = ""
    parts: dict[str, Command] = field(default_factory=dict)

    @property
    def help(self) -> str:
        """What it does, in the user's language, and one line to copy."""
        about = spoken(self.about)
        colon = ": " if about == self.about else "："
        return f"{about.rstrip('.。')}{colon}{self.example}" if self.example else about


EVALUATING = {
    "run": Command(
        "Evaluate an agent on a benchmark.", "nav_eval.cli.run:run", "nav-eval run vln-demo dataset.limit=5"
    ),
    "demo": Command(
        "Make homes and episodes, serve three agents, evaluate and compare them.",
        "nav_eval.cli.demo:demo",
        "nav-eval demo --out demo-results",
    ),
    "sweep": Command(
        "Measure robustness to perturbations.",
        "nav_eval.cli.missing_extra:sweep",
        "nav-eval sweep vln-demo suite=robustness --out sweep",
    ),
    "human": Command(
        "Let a person play in a browser.",
        "nav_eval.cli.missing_extra:human",
        "nav-eval human vln-demo dataset.limit=3 --out human",
    ),
    "merge": Command(
        "Merge the shards of `run --shard` into one run.",
        "nav_eval.cli.merge:merge",
        "nav-eval merge part1 part2 --out whole",
    ),
    "score": Command(
        "Score a submission file offline.",
        "nav_eval.cli.score:score",
        "nav-eval score predictions.json --benchmark r2r",
    ),
    "compare": Command(
        "Compare runs on the same episodes with paired tests.",
        "nav_eval.cli.score:compare",
        "nav-eval compare random mine",
    ),
    "rank": Command(
        "Rank runs, with rank intervals and shared ranks.",
        "nav_eval.cli.score:rank",
        "nav-eval rank random mine other --by spl",
    ),
    "report": Command(
        "Write one self-contained HTML page of one run or several; of three and more a leaderboard.",
        "nav_eval.cli.report:report",
        "nav-eval report random mine --out report.html",
    ),
}
CHECKING = {
    "rescore": Command(
        "Recompute a run's metrics from its trajectories.",
        "nav_eval.cli.score:rescore",
        "nav-eval rescore mine task.measurements=[success,spl]",
    ),
    "replay": Command(
        "Re-simulate a run's recorded actions and compare.", "nav_eval.cli.score:replay", "nav-eval replay mine"
    ),
    "sign": Command(
        "Sign a finished run with Ed25519 (--new-key makes a key).",
        "nav_eval.cli.audit:sign",
        "nav-eval sign mine --key organiser.pem",
    ),
    "verify": Command(
        "Check a run's files against its manifest and signature.", "nav_eval.cli.audit:verify", "nav-eval verify mine"
    ),
    "publish": Command(
        "Copy what may be published: nothing about single episodes.",
        "nav_eval.cli.audit:publish",
        "nav-eval publish mine --out public",
    ),
}
WORLDS = {
    "generate": Command(
        "Make buildings and episodes from a seed.",
        example="nav-eval generate scenes --out homes --count 3",
        parts={
            "scenes": Command("Make furnished homes or offices.", "nav_eval.cli.missing_extra:buildings"),
            "episodes": Command("Make a task's splits on given scenes.", "nav_eval.cli.missing_extra:buildings"),
            "data": Command(
                "Make homes and episodes where a configuration expects data.", "nav_eval.cli.generate:data"
            ),
        },
    ),
    "collect": Command(
        "Write training data: walks of the oracle as LeRobot, StreamVLN and other formats.",
        "nav_eval.cli.missing_extra:collect",
        "nav-eval collect vln-demo profile=streamvln --format streamvln --out walks",
    ),
    "annotate": Command(
        "Let people write instructions in a browser, and others follow them.",
        "nav_eval.cli.missing_extra:annotate",
        "nav-eval annotate vln-demo --out texts",
    ),
    "validate": Command(
        "List every fault of a data set file.", "nav_eval.cli.inspect:validate", "nav-eval validate val_seen.json.gz"
    ),
    "data": Command(
        "Data sets and scenes that their owners license.",
        example="nav-eval data check",
        parts={"check": Command("List what is expected where, and what is missing.", "nav_eval.cli.scene:data_check")},
    ),
    "scene": Command(
        "Inspect a scene.",
        example="nav-eval scene view home.glb --kind plan",
        parts={
            "info": Command("Print what a scene contains.", "nav_eval.cli.scene:info"),
            "navmesh": Command("Read or build a navmesh: area and islands.", "nav_eval.cli.scene:navmesh"),
            "view": Command("Save a picture: a view, a floor plan, every room.", "nav_eval.cli.scene:view"),
        },
    ),
    "simulator": Command(
        "Third-party simulators.",
        example="nav-eval simulator check localhost:9000",
        parts={
            "check": Command(
                "Check that a simulator keeps the contract: nav-eval simulator check ENDPOINT|NAME [key=value ...].",
                "nav_eval.cli.simulator:check",
            )
        },
    ),
}
COMPETITIONS = {
    "competition": Command(
        "Run a competition: teams, a fair queue, evaluations that survive every crash.",
        "nav_eval.cli.missing_extra:competition",
        "nav-eval competition init my-challenge",
    )
}
"""As it is where nobody has installed it: an entry point nav_eval.commands of the same name wins."""
LOOKING = {
    "list": Command(
        "List benchmarks, tasks, metrics, sensors and other components.",
        "nav_eval.cli.inspect:list_names",
        "nav-eval list benchmarks",
    ),
    "config": Command(
        "Show, check or describe the configuration.",
        example="nav-eval config show vln-demo",
        parts={
            "show": Command(
                "Print the resolved configuration as YAML: nav-eval config show [BENCHMARK] [key=value ...].",
                "nav_eval.cli.inspect:config_show",
            ),
            "validate": Command(
                "List every fault of a configuration: nav-eval config validate BENCHMARK|FILE.yaml [key=value ...].",
                "nav_eval.cli.inspect:config_validate",
            ),
            "schema": Command("Print the JSON schema of a configuration.", "nav_eval.cli.inspect:config_schema"),
        },
    ),
    "doctor": Command(
        "Show what works on this machine, and what to do about the rest.",
        "nav_eval.cli.doctor:doctor",
        "nav-eval doctor --warm",
    ),
}
SYNONYMS = {"evaluate": "run", "eval": "run"}
"""Words that are no commands and look like none, by what is meant."""
GROUPS: dict[str, dict[str, Command]] = {
    "Evaluating": EVALUATING,
    "Checking afterwards": CHECKING,
    "Data and worlds": WORLDS,
    "Competitions": COMPETITIONS,
    "Looking around": LOOKING,
}
