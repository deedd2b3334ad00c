"""Type checkers see the public API as users need it: mypy --strict accepts `public_types.py` with its expected
errors.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""
