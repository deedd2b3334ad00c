"""The quick part of the suite for an installed wheel: `python tests/quick.py`, on any system, in a few minutes.

It copies what it needs into an empty folder, so that the package of the checkout cannot be imported in place of the
installed one. It needs pytest and hypothesis; tests of extras that are not installed are skipped. Further arguments go
to pytest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = ("__init__.py", "conftest.py", "counting.py", "patience.py", "seeds.py", "stepping.py", "sweeps.py")
NEEDED = (*MODULES, "api", "golden", "samples/screen.py")
# They read files of the checkout, or run its samples.
REST = (
    "api/test_levels.py",
    "api/test_rube.py",
    "api/test_buffers.py",
    "api/test_compat_gym.py",
    "api/test_pictures.py",
)
PARTS = ("tests/golden/test_hash.py", "tests/api")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        shutil.copy(ROOT / "pyproject.toml", there)
        for name in NEEDED:
            source, target = ROOT / "tests" / name, there / "tests" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)
        for name in REST:
            (there / "tests" / name).unlink()
        (there / "tests" / "samples" / "__init__.py").touch()
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *PARTS, *sys.argv[1:]]
        return subprocess.run(command, cwd=there, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
