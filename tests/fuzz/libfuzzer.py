"""Damaged bytes under the sanitizers, chosen by coverage: `python -m tests.fuzz.libfuzzer TARGET [cases] [seed]`.

The targets of libFuzzer, which belongs to clang, are snapshot (tests/c/fuzz_snapshot.c) and recording
(tests/c/fuzz_recording.c: keyframes and the logs after them). They are built with the whole core, the address and the
undefined-behaviour sanitizer and all assertions, and start from snapshots and recordings of small worlds. Inputs that
reach new code are kept in build/fuzz, so that the next run goes on from them. A finding is written there, too; `python
-m tests.fuzz.libfuzzer TARGET FILE` reads it again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import box2dpy as b2
from box2dpy._world import record_format as file

from ..golden.driver import FLAGS, ROOT, compiled, is_wide, sources
from ..patience import PATIENCE
from .recordings import Recorded, chunks_of
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


def program(target: str) -> Path:
    """The fuzzer, built with clang."""
    if why := missing():
        raise SystemExit(f"box2dpy: {why}")
    made, said = compiled("clang", FLAGS, sources(main=f"fuzz_{target}.c"), flags_of)
    assert said == "", said
    return made


def write_snapshots(folder: Path) -> None:
    """Snapshots of small worlds, without the texts that only Python reads."""
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


class Undamaged(Recorded):
    """A recording of random calls."""

    def damage(self) -> None:
        self.chunks = chunks_of(self.path.read_bytes())


def write_recordings(folder: Path) -> None:
    """Keyframes of recordings of random calls, each with the log of the calls until the next one."""
    for seed in range(1, 49):
        with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            calls = Undamaged(seed, place)
            calls.run(400)
        groups: list[list[bytes]] = []
        for chunk, first, second in calls.chunks:
            if chunk.tag == file.STATE:
                groups.append([split(first)[0]])
            elif chunk.tag == file.FRAME and groups:
                groups[-1].append(second)
        for k, (state, *logs) in enumerate(groups):
            data = len(state).to_bytes(8, "little") + state + b"".join(logs)
            if any(logs) and len(data) < 1 << 16:
                (folder / f"calls-{seed}-{k}").write_bytes(data)


TARGETS: dict[str, Callable[[Path], None]] = {"snapshot": write_snapshots, "recording": write_recordings}


def run(target: str, cases: int, seed: int = 1) -> str:
    """Runs a fuzzer; returns its last lines. A finding raises an exception with its output."""
    found, seeds = STORE / target / "found", STORE / target / "seeds"
    found.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(seeds, ignore_errors=True)  # those of an earlier version
    seeds.mkdir()
    TARGETS[target](seeds)
    most = max(each.stat().st_size for each in seeds.iterdir()) * 2
    done = subprocess.run(
        [
            program(target), f"-runs={cases}", f"-seed={seed}", f"-max_len={most}", f"-timeout={round(PATIENCE)}",
            "-rss_limit_mb=4096", "-reload=0", "-entropic=0", "-print_final_stats=1",
            f"-artifact_prefix={STORE / target}/", found, seeds,
        ],
        capture_output=True, text=True, check=False, env={**os.environ, "LD_PRELOAD": ""},  # it has its own sanitizers
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the fuzzer found something:\n{done.stderr[-8000:]}")
    return "\n".join(re.findall(r"^(?:DONE|Done|stat::).*", done.stderr, re.MULTILINE))


if __name__ == "__main__":
    if sys.argv[1:2] not in [[each] for each in TARGETS]:
        raise SystemExit(f"box2dpy: name a target: {', '.join(TARGETS)}")
    name, rest = sys.argv[1], sys.argv[2:]
    if rest and not rest[0].isdecimal():
        raise SystemExit(subprocess.run([program(name), rest[0]], check=False).returncode)
    print(run(name, *(int(text) for text in rest) if rest else (20_000,)))
