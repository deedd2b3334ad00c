"""One hash: the same scene, stepped with every combination of options that must not change the bits.

`python tests/golden/matrix.py` runs the whole matrix at full size (`make determinism`); tests/golden/test_hash.py a
covering subset.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import box2dpy as b2
from box2dpy import scenes

SCENES = ("large_pyramid", "tumbler", "mixed_pile", "falling_hinges", "menagerie", "cranes")
STEPS = 300
WORKERS = (1, 2, 3, 4)
SIMD = ("scalar", "sse2", "avx2", "avx512", "neon", "wasm")
BROADPHASES = ("brute", "tree", "grid", "refined_tree")
NARROWPHASES = ("batched", "per_pair")


class Options(NamedTuple):
    """Options that must not affect a result."""

    workers: int
    simd: str
    broadphase: str
    narrowphase: str


def has(simd: str) -> bool:
    """Whether this CPU can run the width."""
    return simd in b2.cpu_features()


def some_options() -> list[dict[str, Any]]:
    """Options of four worlds of different workers, widths and broad phases, without those that this machine lacks."""
    rows = ((1, "scalar", "brute"), (3, "sse2", "grid"), (2, "avx2", "tree"), (1, "avx512", "grid"))
    return [{"workers": w, "simd": simd, "broadphase": b} for w, simd, b in rows if has(simd)]


def every_combination() -> Iterator[Options]:
    """The full matrix over the widths of this CPU."""
    for combination in itertools.product(WORKERS, filter(has, SIMD), BROADPHASES, NARROWPHASES):
        yield Options(*combination)


def covering_subset() -> list[Options]:
    """Greedy choice in which every pair of values of two options occurs at least once."""
    rows = list(every_combination())
    columns = range(len(Options._fields))
    open_pairs = {(i, row[i], j, row[j]) for row in rows for i, j in itertools.combinations(columns, 2)}
    chosen = []
    while open_pairs:

        def gain(row: Options) -> int:
            return sum((i, row[i], j, row[j]) in open_pairs for i, j in itertools.combinations(columns, 2))

        best = max(rows, key=gain)
        chosen.append(best)
        open_pairs -= {(i, best[i], j, best[j]) for i, j in itertools.combinations(columns, 2)}
    return chosen


def final_hash(name: str, options: Options, scale: float, steps: int = STEPS) -> int:
    """The state hash of a scene after `steps` steps."""
    scene = scenes.get(name)
    with scene.world(**options._asdict()) as world:
        state = scene.build(world, scale)
        for number in range(steps):
            scene.advance(world, state, number)
            world.step(1 / 60, 4)
        return world.state_hash()


def main() -> int:
    """Runs everything and prints a line a scene; the exit status says whether all hashes agree."""
    missing = [simd for simd in SIMD if not has(simd)]
    if missing:
        print(f"not on this CPU, skipped: {', '.join(missing)}", flush=True)
    failures = 0
    for name in SCENES:
        hashes: dict[int, list[Options]] = {}
        rows = list(every_combination())
        for number, options in enumerate(rows, 1):
            print(f"\r{name}: {number}/{len(rows)}", end="", file=sys.stderr, flush=True)
            hashes.setdefault(final_hash(name, options, 1.0), []).append(options)
        print("\r", end="", file=sys.stderr)
        agree = len(hashes) == 1
        failures += not agree
        print(
            f"{name}: {len(rows)} runs of {STEPS} steps, "
            + (f"one hash {next(iter(hashes)):#018x}" if agree else f"HASHES DIFFER {hashes}"),
            flush=True,
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
