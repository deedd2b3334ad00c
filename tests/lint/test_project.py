"""What a public service reads of the repository: workflows, forms, metadata. Versions agree, what is named exists, and
nothing is published by accident."""

from __future__ import annotations

import re
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest

from ..loading import loaded
from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": [path for path in sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"],
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def load(path: Path) -> dict[Any, Any]:
    yaml = pytest.importorskip("yaml", reason="not installed: make docs")
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def commands(node: Any) -> list[str]:
    """All shell commands of a workflow."""
    if isinstance(node, dict):
        return [text for key, value in node.items() for text in ([value] if key == "run" else commands(value))]
    return [text for value in node for text in commands(value)] if isinstance(node, list) else []


def test_all_versions_agree() -> None:
    numbers = loaded(ROOT / "tests" / "release.py").versions()
    assert len(numbers) == 3
    assert set(numbers.values()) == {metadata("box2dpy")["Version"]}


def test_nothing_is_released_without_an_address_a_date_and_the_right_tag() -> None:
    missing = loaded(ROOT / "tests" / "release.py").missing
    assert any("pyproject.toml has version" in sentence for sentence in missing("v999.0.0"))
    assert any("CHANGELOG.md has no heading" in sentence for sentence in missing("v999.0.0"))
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    tag = f"v{metadata('box2dpy')['Version']}"
    assert any("placeholder" in sentence for sentence in missing(tag)) == (
        ".invalid/box2dpy" in setup.split("RECIPE")[0]
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_names_only_what_exists(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}, "more only where a job needs it"
    targets = re.findall(r"^([a-z0-9 ]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    known = {name for line in targets for name in line.split()}
    for job in workflow["jobs"].values():
        needs = job.get("needs", [])
        assert {needs} if isinstance(needs, str) else set(needs) <= set(workflow["jobs"])
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file()
        assert "uses" in job or "steps" in job
    for command in commands(workflow["jobs"]):
        assert set(re.findall(r"\bmake ([a-z]\w*)", command)) <= known
        assert all((ROOT / name).is_file() for name in re.findall(r"python (\S+\.py)", command))


def test_only_a_tag_publishes() -> None:
    release = load(GITHUB / "workflows" / "release.yml")
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads the key `on` as true
    jobs = release["jobs"]
    assert jobs["wheels"]["needs"] == "version"
    assert jobs["publish"]["needs"] == "wheels"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}, "trusted publishing, without a token"
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert "secrets." not in text
    assert text.count("gh-action-pypi-publish") == 1


def test_classifiers_agree_with_what_is_required_and_tested() -> None:
    info = metadata("box2dpy")
    names = info.get_all("Classifier") or []
    minors = {int(name.rpartition(".")[2]) for name in names if re.search(r":: 3\.\d+$", name)}
    assert min(minors) == int(info["Requires-Python"].rpartition(".")[2])
    assert minors == set(range(min(minors), max(minors) + 1))
    tested = load(GITHUB / "workflows" / "ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert {f"3.{min(minors)}", f"3.{max(minors)}"} <= set(tested)


def test_the_quick_part_of_the_suite_exists() -> None:
    quick = loaded(ROOT / "tests" / "quick.py")
    assert [name for name in (*quick.NEEDED, *quick.REST) if not (ROOT / "tests" / name).exists()] == []
    assert [name for name in quick.PARTS if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_of_public_services_have_their_form(schema: str) -> None:
    pytest.importorskip("check_jsonschema", reason="not installed (make nightly installs it)")
    assert SCHEMAS[schema]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *SCHEMAS[schema]]
    done = finished(command)
    assert done.returncode == 0, done.stdout


def test_the_workflows_have_no_hole() -> None:
    pytest.importorskip("check_jsonschema", reason="not installed (make nightly installs it with zizmor)")
    program = Path(sys.executable).with_name("zizmor")
    command = [program, "--offline", "--min-severity", "medium", GITHUB]
    done = finished(command)
    assert done.returncode == 0, done.stdout
