"""The random numbers of the Python tests.

A test starts a generator of its own with `draws(number)` or `arrays(number)`, from a number that it names, so that its
samples depend on nothing that another test draws. `B2D_SEED=7` in the environment gives all tests other samples, those
in C too (tests/c/test.h). `tests/lint/test_seeds.py` finds a test that draws in another way.

    python -m tests.seeds FIRST LAST [options of pytest] tests/physics

runs each test that draws with the samples of FIRST to LAST, without those that do not draw, and lists the tests that
fail, and of each comparison in an assertion the values that came nearest to the limit.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

OFFSET = int(os.environ.get("B2D_SEED") or 0)
drawn = False  # whether a generator was started since this was set to False


def shifted(number: int) -> int:
    """A number for a test that passes it to another generator, such as that of an environment."""
    global drawn
    drawn = True
    return number + 1000003 * OFFSET


def draws(number: int) -> random.Random:
    return random.Random(shifted(number))


def arrays(number: int) -> np.random.Generator:
    return np.random.default_rng(shifted(number))


NUMBER = r"(?:np\.float\d+\()?(-?(?:\d[\d_.]*(?:e[-+]?\d+)?|inf))\)?"
COMPARISON = re.compile(rf"{NUMBER} (<=?|>=?) {NUMBER}(?![\w.(])")


class Sibling:
    """As if another test of the same function came next: fixtures of wider scopes stay."""

    def __init__(self, item: pytest.Item) -> None:
        self.parents = item.listchain()[:-1]

    def listchain(self) -> list[pytest.Item | pytest.Collector]:
        return self.parents  # type: ignore[return-value]


class Sweep:
    """A plugin of pytest that repeats each test that draws."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.repeated = 0
        self.failures: dict[str, list[tuple[int, str]]] = {}
        self.bounds: dict[tuple[str, int, str], tuple[float, str, int]] = {}

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        from _pytest.runner import runtestprotocol

        global OFFSET, drawn
        for OFFSET in range(self.first, self.last + 1):
            os.environ["B2D_SEED"] = str(OFFSET)
            drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
            item._initrequest()  # type: ignore[attr-defined]
            reports = runtestprotocol(item, log=False, nextitem=Sibling(item))  # type: ignore[arg-type]
            for report in reports:
                if report.failed:
                    text = report.longreprtext.splitlines()
                    said = next((line for line in reversed(text) if line.startswith("E ")), text[-1])
                    self.failures.setdefault(item.nodeid, []).append((OFFSET, said.strip()))
            if not drawn:
                break
        item.session._setupstate.teardown_exact(nextitem)
        self.repeated += drawn
        return True

    def pytest_assertion_pass(self, item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
        if not drawn:
            return
        for left, relation, right in COMPARISON.findall(expl.split("\n", 1)[0]):
            a, b = float(left), float(right)
            margin = (b - a if relation[0] == "<" else a - b) / (abs(b) or 1.0)
            key = (item.path.relative_to(Path.cwd()).as_posix(), lineno, orig)
            if key not in self.bounds or margin < self.bounds[key][0]:
                self.bounds[key] = (margin, f"{left} {relation} {right}", OFFSET)

    def pytest_sessionfinish(self) -> None:
        print(f"\n{self.repeated} tests draw; seeds {self.first} to {self.last}")
        for (path, line, text), (_, values, seed) in sorted(self.bounds.items()):
            print(f"{path}:{line}\t{text}\t{values}\t(seed {seed})")
        for name, failed in self.failures.items():
            print(f"FAILS {name}: {len(failed)} seeds, the first: {failed[0]}")


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print(__doc__)
        return 2
    sys.pycache_prefix = tempfile.mkdtemp()  # the modules that pytest keeps do not report their assertions
    options = ["-p", "no:cacheprovider", "-o", "enable_assertion_pass_hook=true", *arguments[2:]]
    sweep = Sweep(int(arguments[0]), int(arguments[1]))
    return max(int(pytest.main(options, plugins=[sweep])), int(bool(sweep.failures)))


if __name__ == "__main__":
    from tests import seeds  # the module that the tests import

    sys.exit(seeds.main(sys.argv[1:]))
