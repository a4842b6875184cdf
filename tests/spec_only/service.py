"""A participant's service written from the specification's document alone: its three calls, what it prints, no more.

    python -m spec_only.service rest HEALTH            HEALTH: the body that answers /episode/validate
    python -m spec_only.service grpc HEALTH [PREFIX]   HEALTH: ServiceStatus.status; PREFIX: instead of our package

Flask and grpcio; nothing of nav_eval is imported. It turns left, and stops at its fifth step.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
from concurrent import futures
from typing import Any


class Turner:
    """The specification knows one episode at a time."""

    def __init__(self) -> None:
        self.steps = 0

    def reset(self) -> None:
        self.steps = 0

    def act(self, sensors: Any) -> str:
        assert {"gps", "compass", "depth"} <= set(sensors)
        self.steps += 1
        return "stop" if self.steps == 5 else "turn_left"


def rest(health: str) -> int:
    """Serve in a thread; the port."""
    from flask import Flask, Response, jsonify, request
    from werkzeug.serving import make_server

    app, agent = Flask("participant"), Turner()

    @app.post("/api/v1/episode/reset")
    def reset() -> Response:
        episode = request.get_json()
        assert isinstance(episode["episode_id"], str)
        assert isinstance(episode["scene_id"], str)
        agent.reset()
        observation = {"rgb": "", "depth": "", "instruction": episode["instruction"], "gps": [0.0, 0.0], "compass": 0.0}
        return jsonify({"status": "ready", "initial_observation": observation})

    @app.post("/api/v1/agent/act")
    def act() -> Response:
        return jsonify({"action": agent.act(request.get_json()["observation"]), "action_args": {}})

    @app.post("/api/v1/episode/validate")
    def validate() -> Response:
        return Response(health, content_type="application/json" if health.startswith("{") else "text/plain")

    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def grpc_service(health: str, prefix: str) -> int:
    """Serve in threads; the port."""
    import grpc

    from spec_only.messages import classes

    made, agent = classes(), Turner()

    def reset(episode: Any, context: Any) -> Any:
        assert episode.episode_id
        agent.reset()
        return made["InitialObservation"](status="ready")

    methods = {
        "ResetEpisode": (reset, "EpisodeData"),
        "GetAction": (lambda asked, context: made["Action"](action=agent.act(asked.observation)), "Observation"),
        "HealthCheck": (lambda empty, context: made["ServiceStatus"](status=health), "Empty"),
    }
    table = {
        name: grpc.unary_unary_rpc_method_handler(
            call,
            request_deserializer=made[taken].FromString,
            response_serializer=lambda answer: answer.SerializeToString(),
        )
        for name, (call, taken) in methods.items()
    }
    server = grpc.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(f"{prefix}InferenceService", table),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    globals()["kept"] = server  # grpcio ends a server that nobody holds
    return port


def serving(wire: str, health: str, prefix: str = "nav_eval.v1.") -> int:
    """The port, of one of these."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return rest(health) if wire == "rest" else grpc_service(health, prefix)


def main() -> None:
    sys.stderr.write(f"Serving at 127.0.0.1:{serving(*sys.argv[1:])}.\n")
    sys.stderr.flush()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
