"""A program that PyInstaller froze runs without Python: `hook-box2dpy.py` names what it cannot see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import box2dpy as b2

from ..patience import PATIENCE, finished

PROGRAM = """
import box2dpy as b2
with b2.World() as world:
    world.create_static_body((0, -1)).create_shape(b2.Box(10, 1))
    world.create_dynamic_body((0, 3), 0.3).create_shape(b2.Box(0.5, 0.5))
    for _ in range(60):
        world.step()
    print(world.state_hash())
"""


def test_a_frozen_program_gives_the_bits_of_the_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PyInstaller", reason="PyInstaller is not installed (make nightly installs it)")
    (tmp_path / "tiny.py").write_text(PROGRAM, encoding="utf-8")
    words = [
        sys.executable, "-m", "PyInstaller", "--noconfirm", "--paths", str(Path(b2.__file__).parents[1]), "tiny.py",
    ]  # fmt: skip
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    program = tmp_path / "dist" / "tiny" / "tiny"
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    frozen = finished([program], cwd="/", env=alone, check=True)
    exec(PROGRAM, {})
    assert frozen.stdout == capsys.readouterr().out
