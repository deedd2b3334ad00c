"""The C tests of csrc/geometry (tests/c/test_geometry.c), built with the system's compiler."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ..golden import driver
from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("CC") or shutil.which("cc")
FLAGS = "-std=c17 -Wall -Wextra -Werror -ffp-contract=off -O2 -DB2D_ASSERTS".split()


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_c_tests_of_the_geometry_module_pass() -> None:
    sources = [
        ROOT / "csrc/base/allowed.c",
        ROOT / "csrc/base/trig.c",
        *sorted((ROOT / "csrc/geometry").glob("*.c")),
        ROOT / "tests/c/test_geometry.c",
    ]
    program, _ = driver.compiled(str(COMPILER), FLAGS, sources)
    result = finished(driver.command(program))
    assert result.returncode == 0, result.stdout[-4000:]
