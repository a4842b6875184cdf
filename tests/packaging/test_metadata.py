"""What an index and pip are told: valid, rendered, true, and one version everywhere."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions

import pytest
from markdown_it import MarkdownIt
from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from trove_classifiers import classifiers

import nav_eval_sdk
from bare_install import MINORS
from built_distributions import FOLDERS, ROOT, Built, contents

OLDEST = dict.fromkeys(FOLDERS, 11) | {"nav-eval-sdk": 10, "nav-eval-baselines": 10}
COMMANDS = {
    "nav-eval": "nav-eval = nav_eval.cli:main",
    "nav-eval-sdk": "nav-eval-agent = nav_eval_sdk.cli:main",
    "nav-eval-server": "competition = nav_eval_server.cli:app",
    "nav-eval-baselines": "learned = nav_eval_baselines.learned:LearnedAgent",
    "nav-eval-extras": "blur = nav_eval_extras.perturbations.pictures:Blur",
    "nav-eval-worlds": "homes = nav_eval_worlds.generator:HOMES",
}


@pytest.fixture
def metadata(built: Built) -> Metadata:
    """Strictly read: every field is checked against its specification."""
    return Metadata.from_email(built.metadata, validate=True)


def test_it_says_what_an_index_shows(built: Built, metadata: Metadata) -> None:
    assert metadata.name == built.name
    assert metadata.license_expression == "Apache-2.0"
    assert metadata.license_files == ["LICENSE", "NOTICE"]
    assert metadata.summary
    assert metadata.keywords
    assert "nav_eval authors" in (metadata.author or "")
    assert COMMANDS[built.name].encode() in next(
        data for name, data in contents(built.wheel).items() if name.endswith("entry_points.txt")
    )


def test_classifiers_are_known_and_name_the_pythons_that_are_tested(built: Built, metadata: Metadata) -> None:
    assert set(metadata.classifiers or ()) <= classifiers
    told = {int(found) for found in re.findall(r"Python :: 3\.(\d+)", "\n".join(metadata.classifiers or ()))}
    assert told <= set(MINORS)
    assert min(told) == OLDEST[built.name]
    assert metadata.requires_python == f">=3.{OLDEST[built.name]}"
    assert not any(value.startswith("License ::") for value in metadata.classifiers or ())


def test_the_readme_is_the_long_description_and_renders(built: Built, metadata: Metadata) -> None:
    paragraphs = (built.project / "README.md").read_text("utf-8").split("\n\n")
    readme = "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith("!["))
    assert metadata.description == readme
    assert metadata.description_content_type == "text/markdown"
    shown = MarkdownIt("commonmark").enable("table").render(readme)
    assert f"<h1>{readme.splitlines()[0].removeprefix('# ')}</h1>" in shown
    assert shown.count("<pre>") * 2 == len(re.findall(r"^```", readme, re.MULTILINE))
    assert not re.findall(r'<img[^>]* src="(?!https://|data:)', shown), "an index has no picture files of ours"


def test_the_version_is_one_everywhere(built: Built, metadata: Metadata) -> None:
    change = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert change
    assert str(metadata.version) == import_module(built.package).__version__ == change[1]
    unity = json.loads((ROOT / "unity" / "com.naveval.simulator" / "package.json").read_text())
    assert unity["version"] == change[1]


def test_the_evaluator_asks_for_this_very_sdk(distributions: dict[str, Built]) -> None:
    wanted = Metadata.from_email(distributions["nav-eval"].metadata).requires_dist or []
    sdk = next(requirement for requirement in wanted if requirement.name == "nav-eval-sdk")
    assert sdk.extras == {"rest", "grpc"}
    assert sdk.specifier.contains(Version(nav_eval_sdk.__version__))
    assert not sdk.specifier.contains(Version(nav_eval_sdk.__version__ + ".post1"))


@cache
def owners() -> Mapping[str, list[str]]:
    """The distributions of this environment by what is imported of them."""
    return packages_distributions()


@cache
def third_party(built: Built) -> frozenset[str]:
    """Top-level names that the package's modules import, from their syntax, the standard library's left out.

    A template's files are no modules: `nav-eval-agent new` copies them into a project that says what it requires.
    """
    found: set[str] = set()
    for name, data in contents(built.wheel).items():
        if not name.endswith(".py") or "/template" in name:
            continue
        for node in ast.walk(ast.parse(data)):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return frozenset(found - set(sys.stdlib_module_names) - {built.package, "compression"})


OF_EXTRAS = {"mujoco": "mujoco-core", "rerun": "rerun-sdk"}
"""Distributions of modules whose names differ, and that need not be installed here."""
OF_THE_CALLER = {"stable_baselines3"}
"""Who calls what needs it has it already, with two gigabytes of torch."""


def test_every_import_is_a_declared_dependency(built: Built, metadata: Metadata) -> None:
    declared = {canonicalize_name(requirement.name) for requirement in metadata.requires_dist or ()}
    for module in third_party(built) - OF_THE_CALLER:
        names = {canonicalize_name(owner) for owner in owners().get(module, ())}
        names = names or {OF_EXTRAS.get(module, canonicalize_name(module))}
        assert names & declared, f"{built.name} imports {module} ({', '.join(names)}) and does not require it"


def named_in_settings(built: Built) -> set[str]:
    """Top-level names of what Django imports by its name: applications, middleware, backends."""
    texts = [data for name, data in contents(built.wheel).items() if name.endswith("/settings.py")]
    nodes = (node for text in texts for node in ast.walk(ast.parse(text)))
    words = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {word.split(".")[0] for word in words if re.fullmatch(r"\w+(\.\w+)*", word)}


def test_every_dependency_is_imported(built: Built, metadata: Metadata) -> None:
    imported = {
        canonicalize_name(owner)
        for module in third_party(built)
        for owner in owners().get(module, (OF_EXTRAS.get(module, module),))
    }
    imported |= {canonicalize_name(owner) for module in named_in_settings(built) for owner in owners().get(module, ())}
    asked: list[Requirement] = [one for one in metadata.requires_dist or () if not one.marker]
    assert {canonicalize_name(one.name) for one in asked} - imported == set()
