"""A configuration that uses every section, and tokens of YAML, Hydra and OmegaConf."""

from __future__ import annotations

WHOLE = """
plugins: [json]
defaults: [/tasks: vln, /simulator: vlnce, _self_]
task: {type: vln, actions: [stop, move_forward], measurements: [success, spl], dtw: exact}
simulator:
  backend: custom
  sensors:
    rgb: {width: 64, height: 48, hfov: 79.0}
    my_depth: {type: depth, normalize: true, options: {a: [1, {b: 2}]}}
  body: &body {height: 0.88, radius: 0.18}
  motion: {sliding: false, noise: LoCoBot/ILQR}
  options: {again: *body, seconds: 1e3, when: 2024-01-01}
dataset: {type: r2r-ce, data_path: "x/{split}.json.gz", languages: [en], episodes: ['12'], generate: {rooms: 2}}
evaluation: {max_steps: 20, parallel: {workers: 2}, budget: {episode_seconds: 1.5}}
agent_service: {type: remote, protocol: grpc, encoding: stream+zstd, tls: {enabled: true, ca: ca.pem}, token: t}
output: {log_dir: "${dataset.split}/logs", video: sample(3)}
seed: 7
"""

TOKENS = (
    "++", "+", "~", "=", ".", "@", ":", ",", "[", "]", "{", "}", "'", '"', '\\', "${", "${seed}",
    "${oc.env:HOME}", "${oc.decode:'[1'}", "${oc.create:{a:1}}", "${oc.select:task,1}", "${oc.dict.keys:task}",
    "${..seed}", "???", "null", "glob(*)", "range(1,3)", "choice(a,b)", "int(3)", "float(nan)", "str(1)",
    "bool(x)", "json_str('{}')", "sample(2)", "sort(1,2)", "tag(a,1)", "interval(0,1)", "hydra.run.dir=x",
    "hydra/launcher=basic", "tasks=vln", "simulator=nav_graph", "benchmarks@x=r2r",
    "override /simulator: vlnce", "nan", "inf", "1e999", "-0", "0x10", "0o7", "1_000", "9" * 5000, "<<: *body",
    "&a [*a]", "!!python/object/apply:os.system [x]", "!!binary x", "!!set {a}", "!!timestamp 2024-01-01",
    "2024-13-45", "? a", "- - - -", "\t", "---", "...", "%YAML 9.9", "\x00", "\x1b", "\u2028", "\ud800", "seed",
    "task", "simulator", "sensors", "options", "evaluation", "max_steps", "_target_", "_self_", "_global_",
    "@package", "plugins",
)  # fmt: skip
