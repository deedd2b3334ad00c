"""The C core alone gives the same bits from gcc and clang, at every level, at every width, and runs on an old
processor.

No number is stored here (tests/golden/test_hash.py has those): every build must agree with the reference, gcc at -O0
without the lab, and so must the package as it is installed.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import box2dpy as b2

from ..fuzz.snapshots import split
from ..patience import PATIENCE
from . import driver

LEVELS = ("-O0", "-O2", "-O3")
ALL = [(compiler, level) for compiler in ("gcc", "clang") for level in LEVELS]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the driver is built with gcc or clang command lines")
all_builds = pytest.mark.skipif(not os.environ.get("B2D_ALL_BUILDS"), reason="compiles the core; see make determinism")


def name(value: object) -> str:
    return str(value).replace("-", "")


def needs(tool: str, package: str) -> str:
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"no {tool} on the path (Debian package {package})")
    return path


@pytest.fixture(scope="module")
def reference() -> Path:
    if shutil.which("gcc") is None:
        needs("cc", "gcc")
    program, said = driver.reference()
    driver.clean_old()
    assert said == ""
    return program


@pytest.fixture(scope="module")
def golden(reference: Path) -> str:
    """The hashes after 60 steps and over all steps, at one lane."""
    return driver.run(reference)["scalar"]


def test_the_reference_gives_one_hash_at_every_width(reference: Path, golden: str) -> None:
    output = driver.run(reference)
    assert {"scalar", "auto-3"} < set(output)
    assert driver.hashes(output) == {golden}, output


def test_the_package_gives_the_hash_of_the_core_without_the_lab(reference: Path, golden: str, tmp_path: Path) -> None:
    """The package goes on with a snapshot of its scene. B2D_NO_LAB leaves csrc/lab and its rows of the lists out:
    nothing else may need them."""
    start = tmp_path / "start.b2d"
    subprocess.run([reference, "0", "scalar", start], stdout=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    with b2.World() as empty:
        texts = split(empty.snapshot(compress=False))[1]  # of names, which the core does not know
    with b2.World.from_snapshot(start.read_bytes() + texts) as world:
        fold = 14695981039346656037
        for _ in range(60):
            world.step(1 / 60, 4)
            fold = (fold ^ world.state_hash()) * 1099511628211 % 2**64
            fold ^= fold >> 29
        assert f"{world.state_hash():016x} {fold:016x}" == golden


@all_builds
@pytest.mark.parametrize(("compiler", "level"), ALL, ids=name)
def test_compilers_and_levels_give_the_golden_hash_without_a_warning(compiler: str, level: str, golden: str) -> None:
    program, said = driver.build(needs(compiler, compiler), level)
    assert said == ""
    output = driver.run(program)
    assert {"scalar", "auto-3"} < set(output)
    assert driver.hashes(output) == {golden}, output


old_processor = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="Nehalem is an x86-64 processor"
)
not_sanitized = pytest.mark.skipif(
    "B2D_TEST_CFLAGS" in os.environ, reason="the emulator has no room for a sanitizer's shadow memory"
)


@old_processor
@not_sanitized
@all_builds
@pytest.mark.parametrize(("compiler", "level"), ALL, ids=name)
def test_the_core_runs_on_a_processor_without_avx(
    compiler: str, level: str, golden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulated program would stop at a wide instruction outside of the kernels that are chosen at run time."""
    emulator = needs("qemu-x86_64", "qemu-user")
    monkeypatch.delenv("B2D_SIMD", raising=False)
    program = driver.build(needs(compiler, compiler), level)[0]
    output = driver.run(program, emulator, "-cpu", "Nehalem")
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
    emulator = [needs("qemu-x86_64", "qemu-user"), "-cpu", "Nehalem"]
    monkeypatch.delenv("B2D_SIMD", raising=False)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")  # numpy's BLAS does not recognise the emulated processor

    def run(program: str, *before: str) -> subprocess.CompletedProcess[str]:
        command = [*before, sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, check=False)

    if run("import numpy", *emulator).returncode != 0:
        pytest.skip("this numpy does not run on Nehalem")
    old, here = run(PROGRAM, *emulator), run(PROGRAM)
    assert (old.returncode, here.returncode) == (0, 0), old.stderr + here.stderr
    assert old.stdout.split()[:-1] == ["scalar", "sse2"]
    assert old.stdout.split()[-1] == here.stdout.split()[-1]


@all_builds
def test_neon_gives_the_golden_hash(golden: str) -> None:
    needs(driver.ARM_EMULATOR, "qemu-user")
    compiler = needs(driver.ARM_COMPILER, "gcc-aarch64-linux-gnu")
    output = driver.run(driver.build(compiler, "-O2")[0], driver.ARM_EMULATOR, "-L", driver.ARM_ROOT)
    assert "neon" in output
    assert driver.hashes(output) == {golden}, output
