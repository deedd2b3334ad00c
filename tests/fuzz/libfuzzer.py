"""Damaged snapshots under the sanitizers, chosen by coverage: `python -m tests.fuzz.libfuzzer [cases] [seed]`.

tests/c/fuzz_snapshot.c is a target of libFuzzer, which belongs to clang. It is built with the whole core, the address
and the undefined-behaviour sanitizer and all assertions. It starts from snapshots of small worlds; inputs that reach
new code are kept in build/fuzz, so that the next run goes on from them. A finding is written there, too; `python -m
tests.fuzz.libfuzzer FILE` reads it again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import box2dpy as b2

from ..golden.driver import FLAGS, ROOT, compiled, is_wide, sources
from ..patience import PATIENCE
from .snapshots import joint_world, rich_world, split

STORE = ROOT / "build" / "fuzz"
SANITIZERS = (
    "-DB2D_ASSERTS",
    "-fsanitize=fuzzer,address,undefined",
    "-fno-sanitize-coverage=trace-cmp",  # the mutator knows the format; recording comparisons takes half of the time
    "-fno-sanitize-recover=undefined",
)


def flags_of(source: Path) -> tuple[str, ...]:
    """The kernels of wide vectors, which the target does not use, are those of the golden driver."""
    return ("-O2",) if is_wide(source) else ("-O1", "-g1", *SANITIZERS)


def missing() -> str:
    """What this machine lacks, or nothing."""
    if shutil.which("clang") is None:
        return "clang is missing, which libFuzzer belongs to; the Debian package is clang"
    asked = ["clang", "-fsanitize=fuzzer", "-###", "-x", "c", "-"]
    link = subprocess.run(asked, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stderr
    libraries = re.findall(r'"([^"]*libclang_rt\.(?:fuzzer|asan)[^"]*\.a)"', link)
    if not libraries or not all(Path(name).exists() for name in libraries):
        return "clang has no libFuzzer; the Debian package is libclang-rt-14-dev for clang 14"
    return ""


def program() -> Path:
    """The fuzzer, built with clang."""
    if why := missing():
        raise SystemExit(f"box2dpy: {why}")
    made, said = compiled("clang", FLAGS, sources(main="fuzz_snapshot.c"), flags_of)
    assert said == "", said
    return made


def write_seeds(folder: Path) -> None:
    """Snapshots of small worlds, without the texts that only Python reads."""
    shutil.rmtree(folder, ignore_errors=True)  # those of an earlier version
    folder.mkdir(parents=True)
    for seed in range(1, 9):
        with rich_world(seed) as world:
            (folder / f"rich-{seed}").write_bytes(split(world.snapshot(compress=False))[0])
    with joint_world() as world:
        (folder / "joints").write_bytes(split(world.snapshot(compress=False))[0])
    for bodies in range(4):
        with b2.World() as world:
            world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
            for k in range(bodies):
                world.create_dynamic_body((0, 0.5 + k)).create_shape(b2.Box(0.5, 0.5), restitution=0.1 * k)
            for _ in range(20 * bodies):
                world.step()
            (folder / f"stack-{bodies}").write_bytes(split(world.snapshot(compress=False))[0])


def run(cases: int, seed: int = 1) -> str:
    """Runs the fuzzer; returns its last lines. A finding raises an exception with its output."""
    found, seeds = STORE / "found", STORE / "seeds"
    found.mkdir(parents=True, exist_ok=True)
    write_seeds(seeds)
    most = max(file.stat().st_size for file in seeds.iterdir()) * 2
    done = subprocess.run(
        [
            program(), f"-runs={cases}", f"-seed={seed}", f"-max_len={most}", f"-timeout={round(PATIENCE)}",
            "-rss_limit_mb=4096", "-reload=0", "-entropic=0", "-print_final_stats=1", f"-artifact_prefix={STORE}/",
            found, seeds,
        ],
        capture_output=True, text=True, check=False, env={**os.environ, "LD_PRELOAD": ""},  # it has its own sanitizers
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the fuzzer found something:\n{done.stderr[-8000:]}")
    return "\n".join(re.findall(r"^(?:DONE|Done|stat::).*", done.stderr, re.MULTILINE))


if __name__ == "__main__" and sys.argv[1:2] and not sys.argv[1].isdecimal():
    raise SystemExit(subprocess.run([program(), sys.argv[1]], check=False).returncode)
elif __name__ == "__main__":
    total, first = (int(text) for text in (*sys.argv[1:], "20000", "1")[:2])
    print(run(total, first))
