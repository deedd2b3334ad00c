"""The geometry room's own C tests, compiled here with the system's compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ..golden import driver

ROOT = Path(__file__).resolve().parents[2]
COMPILER = shutil.which(os.environ.get("CC", "cc"))
FLAGS = [
    "-std=c17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffp-contract=off",
    "-O2",
    "-DB2D_ASSERTS",
    *os.environ.get("B2D_TEST_CFLAGS", "").split(),
]


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_c_tests_of_the_geometry_room_pass(tmp_path: Path) -> None:
    sources = [
        ROOT / "tests/c/test_geometry.c",
        ROOT / "csrc/base/allowed.c",
        ROOT / "csrc/base/trig.c",
        *sorted((ROOT / "csrc/geometry").glob("*.c")),
    ]
    program = tmp_path / "test_geometry"
    includes = [f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'csrc/include'}"]
    subprocess.run([COMPILER, *FLAGS, *includes, *map(str, sources), "-lm", "-o", str(program)], check=True)
    result = subprocess.run(driver.command(program), capture_output=True, text=True, timeout=1200)
    assert result.returncode == 0, result.stdout[-4000:]
