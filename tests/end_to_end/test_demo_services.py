"""The services that `nav-eval demo` begins, in the user's own folder."""

from __future__ import annotations

import sys

import pytest

from nav_eval.errors import ServiceUnavailable
from nav_eval.runs.demo import served
from nav_eval_sdk import TestClient


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 always looks into the folder first")
def test_a_file_of_the_users_folder_is_no_module_of_python(tmp_path, monkeypatch):
    (tmp_path / "copy.py").write_text("raise RuntimeError('the wrong one')")
    monkeypatch.chdir(tmp_path)
    with served("random", "rest") as endpoint:
        client = TestClient(endpoint)
        assert client.health().status in ("loading", "ready")
        client.close()


def test_a_service_that_ends_is_not_waited_for():
    with (
        pytest.raises(ServiceUnavailable, match=r"no_such_module:Agent ended with exit code 2"),
        served("no_such_module:Agent", "rest"),
    ):
        pass
