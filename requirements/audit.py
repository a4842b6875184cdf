"""Asks a vulnerability service about every package of requirements/run.txt: `make audit`.

Exit codes: 0 nothing is known; 1 vulnerabilities, listed; 2 the service could not be asked about every package, which
pip-audit alone would pass over (it counts a package that it cannot look up as skipped, not as a failure).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

REQUIREMENTS = Path(__file__).with_name("run.txt")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", choices=["pypi", "osv"], default="pypi")
    service = parser.parse_args().service
    command = [sys.executable, "-m", "pip_audit", "-s", service, "-r", str(REQUIREMENTS), "-f", "json", "--timeout=15"]
    options = ["--disable-pip", "--require-hashes", "--progress-spinner=off"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        return _say(f"audit: {service} cannot be asked ({_last_line(done.stderr)}). Nothing was audited.", 2)
    return _judge(service, json.loads(done.stdout)["dependencies"])


def _judge(service: str, packages: list[dict[str, Any]]) -> int:
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = [(package, fault) for package in packages for fault in package.get("vulns", ())]
    for package, fault in found:
        _say(f"{package['name']} {package['version']}: {fault['id']}, mended in {fault['fix_versions'] or 'none'}", 1)
    if skipped:
        return _say(f"audit: {service} knew nothing of {len(skipped)} of {len(packages)} packages. Ask another.", 2)
    return _say(f"audit: {len(packages)} packages, {len(found)} vulnerabilities known to {service}.", 1 if found else 0)


def _last_line(text: str) -> str:
    return next((line.strip()[:160] for line in reversed(text.splitlines()) if line.strip()), "no answer")


def _say(text: str, code: int) -> int:
    sys.stdout.write(f"{text}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
