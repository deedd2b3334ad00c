"""All broad phases agree with brute force, and the parts and trees of the lab work: tests/c/test_broadphase.c,
test_lab_pairs.c, test_refine_tree.c and test_visits.c."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from ..golden import driver
from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]
LAB = """
    box_run members brute_wide box_pruning morton pair_manager sap sap_broadphase refine_tree refine_build refine_fit
    refine_policies refine_pairs object_tree refined_tree
""".split()
SOURCES = [
    *sorted((ROOT / "csrc" / "broadphase").glob("*.c")),
    *sorted((ROOT / "csrc" / "base").glob("*.c")),
    *sorted((ROOT / "csrc" / "simd").glob("*.c")),
    *(ROOT / "csrc" / "lab" / f"{name}.c" for name in LAB),
]
COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
FLAGS = ["-std=c17", "-O2", "-Wall", "-Wextra", "-ffp-contract=off", "-pthread", "-D_GNU_SOURCE", "-DB2D_ASSERTS"]
FLAGS += ["-DB2D_KERNELS_OF=<pair_kernels.inl>"]  # only the kernels that compare boxes


def build(test: str, sources: Sequence[Path] = SOURCES) -> Path:
    program, said = driver.compiled(str(COMPILER), FLAGS, [*sources, ROOT / "tests" / "c" / test])
    assert said == ""
    return program


def run(program: Path, factor: float, **environment: str) -> str:
    result = finished([*driver.command(program), str(factor)], env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_all_broad_phases_agree_with_brute_force() -> None:
    program = build("test_broadphase.c")
    output = run(program, 0.5)
    assert "test_steady_state_allocates_nothing" in output


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_delayed_workers_do_not_change_the_pairs() -> None:
    program = build("test_broadphase.c")
    run(program, 0.1, B2D_CHAOS="7")


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_samples_do_not_depend_on_the_instruction_sets_of_the_processor() -> None:
    program = build("test_broadphase.c")
    samples = [
        [line for line in run(program, 0.02, **limit).splitlines() if line.startswith("samples")]
        for limit in ({}, {"B2D_SIMD": "scalar"})
    ]
    assert samples[0] == samples[1] != []


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_parts_of_the_lab_s_broad_phases_avoid_the_traps() -> None:
    program = build("test_lab_pairs.c")
    assert "all tests of the lab's broad phases pass" in run(program, 1.0)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_refined_trees_find_the_pairs_of_brute_force_with_every_option() -> None:
    program = build("test_refine_tree.c")
    assert "all tests of the refined tree pass" in run(program, 1.0)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_a_long_cast_visits_a_fifth_of_the_nodes_of_its_box_at_most() -> None:
    base = [path for path in SOURCES if path.parent.name == "base"]  # the test includes the tree itself
    program = build("test_visits.c", sources=base)
    assert "times as many" in run(program, 1.0)
