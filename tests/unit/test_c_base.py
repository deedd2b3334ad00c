"""The C tests of csrc/base (tests/c/test_base.c, test_scheduler.c), built with the system compiler, one by one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ..golden import driver, wasm
from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]
TESTS = [
    "growth", "overflow", "refused", "slab", "stock", "large", "shared", "pool", "arena", "bits", "id_pool", "pair_set",
    "radix_sort", "float_key", "trig", "simd", "scheduler_chaos", "scheduler_shared",
    "side_tasks", "scheduler_fork", "scheduler", "float_word",
]  # fmt: skip


FOLDER = ROOT / "tests" / "c"
SOURCES = [
    *sorted(FOLDER.glob("test_simd_*.c")), *sorted((ROOT / "csrc/base").glob("*.c")), FOLDER / "test_scheduler.c",
    FOLDER / "test_base.c",
]  # fmt: skip


@pytest.fixture(scope="module")
def program() -> Path:
    if os.name == "nt":
        pytest.skip("the C tests of csrc/base use POSIX threads and fork")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) on the path")
    flags = "-std=c17 -O2 -Wall -Wextra -Werror -ffp-contract=off -pthread -DB2D_ASSERTS".split()
    return driver.compiled(compiler, flags, SOURCES)[0]


def test_c_tests_pass_in_webassembly_which_has_32_bits_and_no_threads() -> None:
    wasm.needs_compiler()
    pytest.importorskip("wasmtime")
    program, said = driver.compiled_wasm(SOURCES, "-DB2D_ASSERTS")
    assert said == ""
    ran = finished([*driver.WASM_RUNNER, str(program)], env={**os.environ, "TEST_SCALE": "20"})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("ok   ") > 15


@pytest.mark.parametrize("name", TESTS)
def test_c_tests_of_the_base_module_pass(program: Path, name: str) -> None:
    command = [*driver.command(program), name]
    ran = finished(command, env={**os.environ, "TEST_SCALE": "4"})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"ok   {name}\n" in ran.stdout
