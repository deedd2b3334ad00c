"""The narrow phase's C test (tests/c/test_narrowphase.c), built with the system compiler: one line a test, all must be
ok."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ..golden import driver
from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]
TESTS = [
    "all sets give the scalar bits in any group",
    "manifolds of plain situations",
    "separations agree with brute force",
    "swapped operands give the mirrored manifold",
    "features persist under tiny motion",
    "records say what the manifold says",
    "recycled separations are those of a full manifold",
    "a recycled vertex over an edge is nearly where a full manifold has it",
    "impulses follow features",
    "without memory a beginning contact waits",
]


@pytest.fixture(scope="module")
def program() -> Path:
    compiler = shutil.which("cc")
    if compiler is None or os.name == "nt":
        pytest.skip("no C compiler (cc) on the path")
    sources: list[Path] = []
    for module in ("base", "geometry", "narrowphase", "simd"):
        sources += sorted((ROOT / "csrc" / module).glob("*.c"))
    flags = [
        *"-std=c17 -O2 -Wall -Wextra -Werror -ffp-contract=off -pthread -DB2D_ASSERTS".split(),
        "-DB2D_KERNELS_OF=<narrowphase/collide_wide.inl>",  # only the kernels of this module
    ]
    return driver.compiled(compiler, flags, [*sources, ROOT / "tests/c/test_narrowphase.c"])[0]


def run(program: Path, **environment: str) -> str:
    variables = {**os.environ, **environment}
    return finished(driver.command(program), env=variables).stdout


@pytest.fixture(scope="module")
def output(program: Path) -> str:
    return run(program)


@pytest.mark.parametrize("name", TESTS)
def test_c_tests_of_the_narrow_phase_pass(output: str, name: str) -> None:
    assert f"ok {name}\n" in output, output


def test_results_and_samples_do_not_depend_on_the_instruction_sets_of_the_processor(program: Path, output: str) -> None:
    """Each test prints what it counted and the state of its generator."""
    assert run(program, B2D_SIMD="scalar") == output
