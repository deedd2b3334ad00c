"""All broad phases agree with brute force, and the parts and trees of the lab work: tests/c/test_broadphase.c,
test_lab_pairs.c, test_refine_tree.c and test_visits.c.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAB = (
    "box_run",
    "members",
    "brute_wide",
    "box_pruning",
    "morton",
    "pair_manager",
    "sap",
    "sap_broadphase",
    "refine_tree",
    "refine_build",
    "refine_fit",
    "refine_policies",
    "refine_pairs",
)
SOURCES = [
    *sorted((ROOT / "csrc" / "broadphase").glob("*.c")),
    *sorted((ROOT / "csrc" / "base").glob("*.c")),
    *sorted((ROOT / "csrc" / "simd").glob("*.c")),
    *(ROOT / "csrc" / "lab" / f"{name}.c" for name in LAB),
]
COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
FLAGS = ["-std=c17", "-Wall", "-Wextra", "-ffp-contract=off", "-D_GNU_SOURCE", "-DB2D_ASSERTS"]
FLAGS += ["-DB2D_KERNELS_OF=<pair_kernels.inl>"]  # only the kernels that compare boxes


def build(program: Path, test: str, *options: str, sources: Sequence[Path] = SOURCES) -> None:
    command = [
        str(COMPILER),
        *FLAGS,
        *options,
        *os.environ.get("B2D_TEST_CFLAGS", "").split(),
        f"-I{ROOT / 'csrc'}",
        f"-I{ROOT / 'csrc' / 'include'}",
        f"-I{ROOT / 'tests' / 'c'}",
        str(ROOT / "tests" / "c" / test),
        *map(str, sources),
        "-o",
        str(program),
        "-lm",
        "-lpthread",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def run(program: Path, factor: float, **environment: str) -> str:
    result = subprocess.run(
        [str(program), str(factor)], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_all_broad_phases_agree_with_brute_force(tmp_path: Path) -> None:
    build(tmp_path / "broadphase", "test_broadphase.c", "-O2")
    output = run(tmp_path / "broadphase", 0.5)
    assert "test_steady_state_allocates_nothing" in output


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_delayed_workers_do_not_change_the_pairs(tmp_path: Path) -> None:
    build(tmp_path / "broadphase", "test_broadphase.c", "-O2")
    run(tmp_path / "broadphase", 0.1, B2D_CHAOS="7")


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_parts_of_the_lab_s_broad_phases_avoid_the_traps(tmp_path: Path) -> None:
    build(tmp_path / "lab", "test_lab_pairs.c", "-O1")
    assert "all tests of the lab's broad phases pass" in run(tmp_path / "lab", 1.0)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_refined_trees_find_the_pairs_of_brute_force_with_every_option(tmp_path: Path) -> None:
    build(tmp_path / "tree", "test_refine_tree.c", "-O1")
    assert "all tests of the refined tree pass" in run(tmp_path / "tree", 1.0)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_a_long_cast_visits_a_fifth_of_the_nodes_of_its_box_at_most(tmp_path: Path) -> None:
    base = [path for path in SOURCES if path.parent.name == "base"]  # the test includes the tree itself
    build(tmp_path / "visits", "test_visits.c", "-O1", sources=base)
    assert "times as many" in run(tmp_path / "visits", 1.0)
