"""The specification's own examples, word for word."""

SECTION_9 = """
benchmark:
  name: "VLN Challenge 2024"
  description: "Vision-Language Navigation on R2R"
task:
  type: "vln"
  actions: ["stop", "move_forward", "turn_left", "turn_right"]
  measurements: ["success", "spl", "navigation_error", "dtw"]
simulator:
  backend: "custom"
  sensors:
    rgb: {width: 640, height: 480}
    depth: {width: 640, height: 480}
    instruction: {}
    gps: {}
    compass: {}
dataset:
  type: "vln"
  data_path: "data/datasets/vln/R2R/val_seen.json.gz"
evaluation:
  max_steps: 500
  success_distance: 0.2
agent_service:
  type: "remote"
  protocol: "grpc"
  endpoint: "localhost:8085"
  timeout: 30
output:
  log_dir: "logs/evaluations"
  save_trajectories: true
"""
