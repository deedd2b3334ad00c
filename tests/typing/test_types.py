"""Type checkers see the public API as users need it: mypy --strict accepts `public_types.py` with its expected
errors."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from ..patience import finished

ROOT = Path(__file__).resolve().parents[2]


def test_mypy_sees_the_types_of_the_public_api() -> None:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        str(Path(__file__).parent / "public_types.py"),
    ]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = finished(command, cwd=ROOT, env=environment)
    assert done.stdout + done.stderr == ""


def test_mypy_sees_an_editable_installation_from_another_folder(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import box2dpy\n\nbox2dpy.World().to_svg(size=1)\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "PYTHONPATH")}
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", program.name]
    done = finished(command, cwd=tmp_path, env=environment)
    assert re.fullmatch(r"program\.py:3: error: Argument \"size\" .*\[arg-type\]\n", done.stdout), done.stdout
