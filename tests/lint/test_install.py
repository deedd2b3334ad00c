"""What users meet when they install: complete sources, extras that exist, a compiler that is missing, scripts that run
from any folder, one line where an optional package is missing."""

from __future__ import annotations

import ast
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..patience import PATIENCE, finished

ROOT = Path(__file__).resolve().parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def sources() -> list[str]:
    """The files under version control, without those that only concern it."""
    if shutil.which("git") is None:
        pytest.skip("no git on the path")
    done = finished(["git", "ls-files"], cwd=ROOT)
    if done.returncode != 0 or not done.stdout:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.split() if not name.startswith((".git", ".ci/"))]


def test_the_source_distribution_has_every_file() -> None:
    rules = [line.split() for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()]
    named = {name for words in rules if words[0] == "include" for name in words[1:]} | {"pyproject.toml", "MANIFEST.in"}
    folders = {words[1]: words[2:] for words in rules if words[0] == "recursive-include"}
    left_out = [
        name
        for name in sources()
        if name not in named
        and not any(fnmatch.fnmatch(name.split("/")[-1], rule) for rule in folders.get(name.split("/")[0], ()))
    ]
    assert left_out == []


def test_every_package_is_installed() -> None:
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    folders = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("box2dpy/**/__init__.py")}
    assert [folder for folder in sorted(folders) if f': "{folder}"' not in setup] == []


def test_installed_folders_import_each_other_by_their_installed_names() -> None:
    """`samples` and `benchmarks` are `box2dpy.samples` and `box2dpy.benchmarks` in a wheel."""
    wrong = []
    for path in [*ROOT.glob("samples/**/*.py"), *ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("box2dpy/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            wrong += [
                f"{path.name}: {name}" for name in names if name.split(".")[0] in ("samples", "benchmarks", "tests")
            ]
    assert wrong == []


def test_the_commands_work_as_they_are_installed(tmp_path: Path) -> None:
    """In a folder that has the packages where a wheel has them, and nothing else of the repository."""
    folders = dict(
        re.findall(r'^    "(box2dpy[\w.]*)": "([\w/]+)",$', (ROOT / "setup.py").read_text(encoding="utf-8"), re.M)
    )
    assert folders["box2dpy.samples"] == "samples"
    for package, folder in folders.items():
        target = tmp_path / package.replace(".", "/")
        target.mkdir(parents=True, exist_ok=True)
        for path in (ROOT / folder).iterdir():
            if path.suffix in (".py", ".so", ".html"):
                (target / path.name).symlink_to(path)
    program = f"""
import os, sys
sys.path = [path for path in sys.path if path != {str(ROOT)!r}]  # without that of the editable installation
import box2dpy
from box2dpy._cli import main

assert box2dpy.__file__.startswith(os.getcwd())
sys.exit(main(["samples", "--list"]) or main(["bench", "--help"]))
"""
    done = finished([sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "platformer" in done.stdout
    assert "--peer" in done.stdout


def test_extras_that_messages_and_documents_name_exist() -> None:
    extras = set(re.findall(r"^(\w+) = \[", PROJECT.split("[project.optional-dependencies]")[1].split("\n[")[0], re.M))
    texts = [*ROOT.glob("box2dpy/**/*.py"), *ROOT.glob("samples/**/*.py"), ROOT / "README.md"]
    named = {name for path in texts for name in re.findall(r"box2dpy\[(\w+)\]", path.read_text(encoding="utf-8"))}
    for path in texts:
        named |= set(re.findall(r'missing\("[^)]*?", "[^"]*", "(\w+)"', path.read_text(encoding="utf-8")))
    assert {"film", "mp4", "samples", "outlines"} <= named <= extras


def test_the_last_line_of_a_build_without_a_compiler_names_it() -> None:
    pytest.importorskip("setuptools")  # environments of Python 3.12 and newer have none
    done = finished(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "build/no-compiler"],
        cwd=ROOT,
        env={**os.environ, "CC": "no-such-gcc"},
    )
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last == "box2dpy: the C compiler 'no-such-gcc' is missing: install gcc or clang, or set CC"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("version", [(3, 9, 18), (3, 7, 0)])
def test_an_older_python_is_told_which_version_is_needed(version: tuple[int, int, int]) -> None:
    """Before anything else in setup.py runs that it does not have."""
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    ast.parse(text, feature_version=version[:2])
    program = f"import sys; sys.version_info = {version}; exec({text!r})"
    done = finished([sys.executable, "-S", "-c", program], cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr == f"box2dpy needs Python 3.10 or newer; this is Python 3.{version[1]}\n"


@pytest.mark.parametrize("script", ["pyramid.py", "tumbler.py"])
def test_benchmark_scripts_run_from_any_folder(script: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / script), "--steps", "2"]
    done = finished(command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "median step, ms" in done.stdout


@pytest.mark.parametrize("package", ["pyglet", "imgui_bundle", "OpenGL", "PIL"])
def test_the_sample_browser_without_its_extra_is_one_line(package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; from box2dpy._cli import main; sys.exit(main(['samples']))"
    done = finished([sys.executable, "-c", program], cwd=ROOT)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("box2dpy: the sample browser needs ")
    assert package in line
    assert line.endswith("pip install 'box2dpy[samples]'")


@pytest.mark.skipif(sys.platform == "win32", reason="the pipe is made by a shell")
def test_a_closed_pipe_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m box2dpy samples --list | head -n 1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == ""


def test_a_render_without_pillow_is_one_line(tmp_path: Path) -> None:
    program = "import sys; sys.modules['PIL'] = None; from box2dpy._cli import main; sys.exit(main(['render', 'arch']))"
    done = finished([sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 1
    assert done.stderr == "box2dpy: a picture needs pillow: pip install 'box2dpy[film]'\n"
