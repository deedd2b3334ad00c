"""The C core alone gives the same bits from gcc and clang, at every level, at every width, and runs on an old
processor.

No number is stored here (tests/golden/test_hash.py has those): every build must agree with the reference, gcc at -O0.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from . import driver

REFERENCE = "-O0"
LEVELS = ("-O0", "-O2", "-O3")
ALL = [(compiler, level) for compiler in ("gcc", "clang") for level in LEVELS]
FEW = [
    ("gcc", "-O0"),
    ("clang", "-O2"),
]  # gcc -O2 is what the package itself is built with; `make determinism` does all
BUILDS = ALL if os.environ.get("B2D_ALL_BUILDS") else FEW

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the driver is built with gcc or clang command lines")


def name(value: object) -> str:
    return str(value).replace("-", "")


def needs(tool: str, package: str) -> str:
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"no {tool} on the path (Debian package {package})")
    return path


@pytest.fixture(scope="module")
def golden() -> str:
    """The hashes after 60 steps and over all steps, at one lane."""
    compiler = shutil.which("gcc") or needs("cc", "gcc")
    return driver.run(driver.build(compiler, REFERENCE)[0])["scalar"]


@pytest.mark.parametrize(("compiler", "level"), BUILDS, ids=name)
def test_compilers_and_levels_give_the_golden_hash_without_a_warning(compiler: str, level: str, golden: str) -> None:
    program, said = driver.build(needs(compiler, compiler), level)
    assert said == ""
    output = driver.run(program)
    assert {"scalar", "auto-3"} < set(output)
    assert driver.hashes(output) == {golden}, output
    driver.clean_old()


def test_the_core_without_the_lab_gives_the_golden_hash(golden: str) -> None:
    """B2D_NO_LAB leaves csrc/lab and its rows of the lists out: nothing else may need them."""
    compiler = shutil.which("clang") or shutil.which("gcc") or needs("cc", "gcc")  # clang takes less time
    program, said = driver.build(compiler, REFERENCE, lab=False)
    assert said == ""
    assert driver.hashes(driver.run(program)) == {golden}


old_processor = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="Nehalem is an x86-64 processor"
)
not_sanitized = pytest.mark.skipif(
    "B2D_TEST_CFLAGS" in os.environ, reason="the emulator has no room for a sanitizer's shadow memory"
)


@old_processor
@not_sanitized
@pytest.mark.parametrize(("compiler", "level"), BUILDS, ids=name)
def test_the_core_runs_on_a_processor_without_avx(
    compiler: str, level: str, golden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulated program would stop at a wide instruction outside of the kernels that are chosen at run time."""
    emulator = needs("qemu-x86_64", "qemu-user")
    monkeypatch.delenv("B2D_SIMD", raising=False)
    output = driver.run(driver.build(needs(compiler, compiler), level)[0], emulator, "-cpu", "Nehalem")
    assert output["auto"] == "sse2"
    assert "avx2" not in output
    assert driver.hashes(output) == {golden}, output


PROGRAM = """
import box2dpy as b2
from box2dpy import scenes
scene = scenes.get("mixed_pile")
with scene.world() as world:
    scene.build(world, 0.1)
    for _ in range(60):
        world.step()
    print(*b2.cpu_features(), world.state_hash())
"""


@old_processor
@not_sanitized
def test_the_package_itself_runs_on_a_processor_without_avx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is installed here: whatever compiler and flags it was built with."""
    monkeypatch.delenv("B2D_SIMD", raising=False)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")  # numpy's BLAS does not recognise the emulated processor
    command = [needs("qemu-x86_64", "qemu-user"), "-cpu", "Nehalem", sys.executable, "-c", PROGRAM]
    old = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    if "baseline" in old.stderr:  # numpy's check of its own needs
        pytest.skip("this numpy needs a newer processor than Nehalem")
    assert old.returncode == 0, old.stderr
    here = subprocess.run(command[3:], capture_output=True, text=True, cwd=tmp_path, timeout=300, check=True)
    assert old.stdout.split()[:-1] == ["scalar", "sse2"]
    assert old.stdout.split()[-1] == here.stdout.split()[-1]


def test_neon_gives_the_golden_hash(golden: str) -> None:
    needs(driver.ARM_EMULATOR, "qemu-user")
    compiler = needs(driver.ARM_COMPILER, "gcc-aarch64-linux-gnu")
    if not os.environ.get("B2D_ALL_BUILDS"):
        pytest.skip("`make neon` and `make determinism` do this")
    output = driver.run(driver.build(compiler, "-O2")[0], driver.ARM_EMULATOR, "-L", driver.ARM_ROOT)
    assert "neon" in output
    assert driver.hashes(output) == {golden}, output
