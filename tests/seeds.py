"""The random numbers of the Python tests.

A test starts a generator of its own with `draws(number)` or `arrays(number)`, from a number that it names, so that its
samples depend on nothing that another test draws. `B2D_SEED=7` in the environment gives all tests other samples, those
in C too (tests/c/test.h). `tests/lint/test_seeds.py` finds a test that draws in another way.

    python -m tests.seeds FIRST LAST [--seconds S] [--margins N] [--out FILE] [options of pytest] tests/physics

runs each test function that draws, and each C program that does, with the samples of FIRST to LAST, and adds to FILE
(build/seeds.txt) how often each of them ran, which seeds failed, and of each comparison in an assertion the values that
came nearest to the limit. Seed n runs case n mod k of a function with k cases; a function draws if its first case does.
With --seconds, the sweep ends after about so much processor time: cheap functions run first, with all seeds, and what
they leave is divided equally among the others. Looking at the values of comparisons takes most of the time of tests
with many; with --margins N only the first N seeds do.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import _pytest.assertion.util
import hypothesis.core
import numpy as np
import pytest
from _pytest.runner import runtestprotocol

RUN = subprocess.run

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


def processor_time() -> float:
    return sum(os.times()[:4])


class Sibling:
    """As if another case of the same function came next: fixtures of wider scopes stay."""

    def __init__(self, item: pytest.Item) -> None:
        self.parents = item.listchain()[:-1]

    def listchain(self) -> list[pytest.Item | pytest.Collector]:
        return self.parents  # type: ignore[return-value]


class Program:
    """A command that a test ran, and which printed that it draws."""

    def __init__(self, test: str, command: list[str], own: dict[str, str]) -> None:
        words = [f"{key}={value}" for key, value in own.items()] + [Path(command[0]).name, *command[1:]]
        self.name, self.command, self.own = f"{test}: {' '.join(words)}", command, own


class Sweep:
    """A plugin of pytest that repeats each function and each C program that draws."""

    def __init__(self, first: int, last: int, seconds: float, margins: float, out: Path) -> None:
        self.first, self.last, self.seconds, self.margins, self.out = first, last, seconds, margins, out
        self.failed = False
        self.failures: list[tuple[int, str]] = []
        self.bounds: dict[tuple[str, int, str], tuple[float, str, int]] = {}
        self.programs: dict[str, Program] = {}
        self.test, self.commands = "", 0

    def start(self, number: int) -> None:
        global OFFSET, drawn
        OFFSET, drawn = number, False
        os.environ["B2D_SEED"] = str(number)
        hypothesis.core.global_force_seed = number  # type: ignore[assignment]

    def case(self, item: pytest.Item, number: int) -> bool:
        """Runs one case; says whether it drew."""
        self.start(number)
        self.test = item.nodeid
        item.ihook.pytest_runtest_protocol(item=item, nextitem=Sibling(item))
        return drawn or getattr(getattr(item, "obj", None), "is_hypothesis_test", False)

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item) -> bool:
        item._initrequest()  # type: ignore[attr-defined]
        if OFFSET - self.first >= self.margins:
            _pytest.assertion.util._assertion_pass = None  # set again before each item
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.failed:
                lines = report.longreprtext.splitlines()
                said = [line[2:].strip() for line in lines if line.startswith("E ")] or lines[-1:]
                self.failures.append((OFFSET, f"{item.name}: {' '.join(said[:2])}"))
        return True

    def program(self, program: Program, number: int) -> None:
        self.start(number)
        environment = {**os.environ, **program.own, "B2D_WORST": "1"}
        ran = RUN(program.command, env=environment, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            lines = [line for line in (ran.stdout + ran.stderr).splitlines() if not line.startswith(("ok", "samples"))]
            self.failures.append((number, lines[0] if lines else f"returned {ran.returncode}"))
        for line in ran.stdout.splitlines():
            if line.startswith("bound\t"):
                _, place, text, value, limit = line.split("\t")
                path, row = place.rsplit(":", 1)
                relation = re.findall(" (<=?|>=?) ", text)[0]
                self.note(Path(path), int(row), text, value, relation, limit)

    def watched(self, command: list[str], *rest: Any, **options: Any) -> subprocess.CompletedProcess[Any]:
        """As subprocess.run, whose programs it looks at."""
        ran = RUN(command, *rest, **options)
        self.commands += 1
        if isinstance(ran.stdout, str) and re.search("^samples of ", ran.stdout, re.MULTILINE):
            own = {key: value for key, value in (options.get("env") or {}).items() if os.environ.get(key) != value}
            program = Program(self.test, [str(word) for word in command], own)
            self.programs.setdefault(program.name.split(": ", 1)[1], program)
        return ran

    def report(self, name: str, seeds: int, seconds: float) -> None:
        with self.out.open("a", encoding="utf-8") as file:
            print(f"{name}\t{seeds} seeds\t{seconds:.1f} s\t{len(self.failures)} failures", file=file)
            for (path, line, text), (margin, values, seed) in sorted(self.bounds.items()):
                print(f"  {path}:{line}\t{text}\t{values}\t({100 * margin:.3g} % to spare, seed {seed})", file=file)
            for seed, said in self.failures:
                print(f"  FAILS with seed {seed}: {said}", file=file)
        self.failed |= bool(self.failures)
        self.failures, self.bounds = [], {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.out.parent.mkdir(parents=True, exist_ok=True)
        if session.testsfailed or session.config.option.collectonly:
            return False
        end = processor_time() + self.seconds
        functions: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            functions.setdefault(item.nodeid.split("[", 1)[0], []).append(item)
        waiting: list[tuple[float, str, Callable[[int], object]]] = []

        subprocess.run = self.watched  # type: ignore[assignment]
        for name, cases in functions.items():
            begin, self.commands = processor_time(), 0
            if self.case(cases[0], 0):
                waiting.append((processor_time() - begin, name, partial(self.spread, cases)))
            elif self.failures:
                self.report(name, 1, processor_time() - begin)
            for item in cases[1:] if self.commands > 0 else []:
                self.case(item, 0)  # it may run another program
            self.failures, self.bounds = [], {}
            session._setupstate.teardown_exact(None)
        subprocess.run = RUN
        for program in self.programs.values():
            begin = processor_time()
            self.program(program, 0)
            waiting.append((processor_time() - begin, program.name, partial(self.program, program)))
            self.failures, self.bounds = [], {}

        whole = 0
        for k, (_, name, run) in enumerate(sorted(waiting, key=lambda each: each[0])):
            begin, number = processor_time(), self.first
            share = begin + (end - begin) / (len(waiting) - k)
            while number <= self.last and processor_time() < share:
                run(number)
                number += 1
            session._setupstate.teardown_exact(None)
            whole += number > self.last
            self.report(name, number - self.first, processor_time() - begin)
        with self.out.open("a", encoding="utf-8") as file:
            print(f"{len(waiting)} functions and programs draw; {whole} ran with all seeds", file=file)
        return True

    def spread(self, cases: list[pytest.Item], number: int) -> None:
        self.case(cases[number % len(cases)], number)

    def pytest_assertion_pass(self, item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
        for left, relation, right in COMPARISON.findall(expl.split("\n", 1)[0]):
            self.note(item.path, lineno, orig, left, relation, right)

    def note(self, path: Path, line: int, text: str, left: str, relation: str, right: str) -> None:
        a, b = float(left), float(right)
        margin = (b - a if relation[0] == "<" else a - b) / (abs(b) or 1.0)
        key = (path.name, line, text)
        if key not in self.bounds or margin < self.bounds[key][0]:
            self.bounds[key] = (margin, f"{left} {relation} {right}", OFFSET)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.seeds", usage="%(prog)s FIRST LAST [options] [of pytest]")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--seconds", type=float, default=math.inf, help="of processor time, for the whole sweep")
    parser.add_argument("--margins", type=float, default=math.inf, help="seeds whose comparisons are looked at")
    parser.add_argument("--out", type=Path, default=Path("build/seeds.txt"))
    mine, others = parser.parse_known_args(arguments)
    sys.pycache_prefix = tempfile.mkdtemp()  # the modules that pytest keeps do not report their assertions
    options = ["-p", "no:cacheprovider", "-o", "enable_assertion_pass_hook=true", "--hypothesis-profile=random"]
    sweep = Sweep(mine.first, mine.last, mine.seconds, mine.margins, mine.out.resolve())
    return max(int(pytest.main([*options, *others], plugins=[sweep])), int(sweep.failed))


if __name__ == "__main__":
    from tests import seeds  # the module that the tests import

    sys.exit(seeds.main(sys.argv[1:]))
