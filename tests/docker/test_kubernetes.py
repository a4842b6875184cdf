"""examples/kubernetes: the manifests fit Kubernetes' own schemas and each other, and what they start works."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from docker.dockerfiles import ROOT
from nav_eval.cli.run import split_arguments
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.sharding import Part

FOLDER = ROOT / "examples" / "kubernetes"
FILES = ("agent", "evaluate", "files", "merge", "service", "storage")
OLDEST = "1.31"
"""The first in which all that the Job asks for is on by default."""


@pytest.fixture(scope="module")
def manifests() -> dict[str, Any]:
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == list(FILES)
    return {name: yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8")) for name in FILES}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
def test_a_manifest_fits_the_schema(manifests: dict[str, Any], name: str, version: str) -> None:
    kubernetes_validate.validate(manifests[name], version, strict=True)


def test_the_schema_finds_faults(manifests: dict[str, Any]) -> None:
    spoilt = manifests["evaluate"] | {"spec": manifests["evaluate"]["spec"] | {"completion": 8}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(spoilt, OLDEST, strict=True)


def pod(manifest: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    spec = manifest["spec"].get("template", manifest)["spec"]
    (container,) = spec["containers"]
    return spec, container


def test_the_manifests_name_each_other(manifests: dict[str, Any]) -> None:
    agent, service = manifests["agent"], manifests["service"]
    assert service["spec"]["selector"].items() <= agent["spec"]["template"]["metadata"]["labels"].items()
    assert agent["spec"]["selector"]["matchLabels"] == agent["spec"]["template"]["metadata"]["labels"]
    (port,) = service["spec"]["ports"]
    assert port["targetPort"] == pod(agent)[1]["ports"][0]["name"]
    given = {entry["name"]: entry for entry in pod(manifests["evaluate"])[1]["env"]}
    endpoint = given["NAV_EVAL_AGENT_SERVICE__ENDPOINT"]["value"]
    assert endpoint == f"{service['metadata']['name']}:{port['port']}"
    claims = [
        v["persistentVolumeClaim"]["claimName"] for m in ("evaluate", "files", "merge") for v in claims_of(manifests[m])
    ]
    assert claims == [manifests["storage"]["metadata"]["name"]] * 3
    (settings,) = [v["configMap"] for v in pod(manifests["evaluate"])[0]["volumes"] if "configMap" in v]
    page = (ROOT / "docs" / "several-machines.md").read_text("utf-8")
    assert "kubectl create secret generic nav-eval --from-file=token --from-file=secret=secret.key" in page
    assert f"kubectl create configmap {settings['name']} --from-file=run.yaml" in page
    for name in ("agent", "evaluate"):
        (secret,) = [volume["secret"] for volume in pod(manifests[name])[0]["volumes"] if "secret" in volume]
        assert secret["secretName"] == "nav-eval"
        assert [item["key"] for item in secret["items"]] == ["token"]
    assert given["NAV_EVAL_AGENT_SERVICE__SECRET"]["valueFrom"]["secretKeyRef"] == {"name": "nav-eval", "key": "secret"}


def claims_of(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [volume for volume in pod(manifest)[0]["volumes"] if "persistentVolumeClaim" in volume]


@pytest.mark.parametrize("name", ["agent", "evaluate", "files", "merge"])
def test_every_pod_is_confined_and_mounts_what_it_has(manifests: dict[str, Any], name: str) -> None:
    spec, container = pod(manifests[name])
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["automountServiceAccountToken"] is False
    context = container["securityContext"]
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert "memory" in container["resources"]["limits"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in spec["volumes"]}


def test_every_shard_is_asked_for_once(manifests: dict[str, Any]) -> None:
    spec = manifests["evaluate"]["spec"]
    (script,) = pod(manifests["evaluate"])[1]["args"]
    parts = []
    for index in range(spec["completions"]):
        shown = script.replace("nav-eval run", "printf '%s\\n'").replace("--quiet", "")
        words = subprocess.run(
            ["sh", "-euc", shown], env={"JOB_COMPLETION_INDEX": str(index)}, capture_output=True, text=True, check=True
        ).stdout.split()
        parts.append(Part.parse(words[words.index("--shard") + 1]))
        assert words[words.index("--out") + 1] == f"/results/shards/{index}"
    assert parts == [Part(index + 1, spec["completions"]) for index in range(spec["completions"])]
    benchmark, overrides = split_arguments(tuple(shlex.split(script)[2:4]))
    benchmark_config(benchmark, overrides=overrides)


@pytest.mark.parametrize("name", ["evaluate", "merge"])
@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (2, 2), (3, 3), (4, 4), (143, 143)])
def test_only_failed_episodes_are_no_failure(
    manifests: dict[str, Any], name: str, code: int, ends: int, tmp_path: Path
) -> None:
    stub = tmp_path / "nav-eval"
    stub.write_text(f'#!/bin/sh\n[ "$1" = report ] || exit {code}\n')
    stub.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": "0"}
    _, container = pod(manifests[name])
    assert subprocess.run([*container["command"], *container["args"]], env=path, check=False).returncode == ends


def test_bad_input_is_not_tried_again_and_a_lost_node_is_no_try(manifests: dict[str, Any]) -> None:
    on_exit, on_loss = manifests["evaluate"]["spec"]["podFailurePolicy"]["rules"]
    _, container = pod(manifests["evaluate"])
    assert on_exit["onExitCodes"] == {"containerName": container["name"], "operator": "In", "values": [2]}
    assert on_exit["action"] == "FailIndex"
    assert on_loss == {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@pytest.mark.soak
def test_the_shards_run_all_at_once_against_the_agent_and_are_merged(manifests: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("dataset: {limit: 8}\nevaluation: {max_steps: 100}\n")
    (tmp_path / "token").write_text("t0ken-of-the-team-0123456789\n")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    _, agent = pod(manifests["agent"])
    served = environment | {"NAV_EVAL_AGENT_TOKEN_FILE": str(tmp_path / "token")}
    serving = subprocess.Popen(["nav-eval-agent", "serve", *agent["args"], "--port", "8185"], env=served)
    try:
        probe = [*agent["readinessProbe"]["exec"]["command"], "localhost:8185"]
        while subprocess.run(probe, env=served, check=False, capture_output=True).returncode:
            assert serving.poll() is None
        _, container = pod(manifests["evaluate"])
        told = {entry["name"]: entry.get("value", "the secret of all shards") for entry in container["env"]}
        told |= {"NAV_EVAL_AGENT_SERVICE__ENDPOINT": "localhost:8185"}
        told |= {"NAV_EVAL_AGENT_SERVICE__TOKEN_FILE": str(tmp_path / "token")}
        pods = [
            subprocess.Popen(here(container, tmp_path), env=environment | told | {"JOB_COMPLETION_INDEX": str(index)})
            for index in range(manifests["evaluate"]["spec"]["completions"])
        ]
        assert [pod.wait() for pod in pods] == [0] * 8
    finally:
        serving.terminate()
        serving.wait()
    subprocess.run(here(pod(manifests["merge"])[1], tmp_path), env=environment, check=True)
    results = json.loads((tmp_path / "results" / "merged" / "results.json").read_text())
    assert (results["n_episodes"], results["n_failed"]) == (8, 0)
    assert (tmp_path / "results" / "merged" / "report.html").is_file()


def here(container: dict[str, Any], folder: Path) -> list[str]:
    """The container's command with /results and the settings in `folder`."""
    script = container["args"][0].replace("/results", str(folder / "results"))
    return [*container["command"], script.replace("/etc/nav-eval", str(folder))]
