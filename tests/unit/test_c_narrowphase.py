"""The narrow phase's C test (tests/c/test_narrowphase.c), built with the system compiler: one line a test, all must be
ok.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = [
    "all sets give the scalar bits in any group",
    "manifolds of plain situations",
    "separations agree with brute force",
    "swapped operands give the mirrored manifold",
    "features persist under tiny motion",
    "records say what the manifold says",
    "recycled separations are those of a full manifold",
    "impulses follow features",
    "without memory a beginning contact waits",
]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("cc")
    if compiler is None or os.name == "nt":
        pytest.skip("no C compiler (cc) on the path")
    out = tmp_path_factory.mktemp("c_narrowphase") / "test_narrowphase"
    sources = [ROOT / "tests/c/test_narrowphase.c"]
    for room in ("base", "geometry", "narrowphase", "simd"):
        sources += sorted((ROOT / "csrc" / room).glob("*.c"))
    flags = [
        *"-std=c17 -O2 -Wall -Wextra -Werror -ffp-contract=off -DB2D_ASSERTS".split(),
        "-DB2D_KERNELS_OF=<narrowphase/collide_wide.inl>",  # only the kernels of this room
        *os.environ.get("B2D_TEST_CFLAGS", "").split(),
    ]
    includes = [f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'csrc/include'}"]
    built = subprocess.run(
        [compiler, *flags, *includes, *map(str, sources), "-lm", "-lpthread", "-o", str(out)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return subprocess.run([str(out)], capture_output=True, text=True, timeout=300, check=False).stdout


@pytest.mark.parametrize("name", TESTS)
def test_c_tests_of_the_narrow_phase_pass(output: str, name: str) -> None:
    assert f"ok {name}\n" in output, output
