"""No test reads a clock: what must be fast is counted (tests/counting.py, tests/c/test_costs.c) or measured in
benchmarks/, and what must happen is waited for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
# The files that may have to do with time, and why
EXCEPTIONS = {
    "patience.py": "it waits for other processes",
    "seeds.py": "its sweep keeps to a processor time that the caller gives",
    "fuzz/__main__.py": "it prints how many calls the fuzzers make in a second, and no result depends on that",
    "fuzz/interrupts.py": "its timer sends signals at random moments; what follows must be right at each of them",
    "lint/test_clocks.py": "it has the words to look for",
}
PYTHON = re.compile(
    r"(?<![\w.])time\.(?!sleep\(0\))[a-z]"  # sleep(0) lets other threads run
    r"|from (?:time|datetime|timeit) |import (?:datetime|timeit|cProfile)\b"
    r"|perf_counter|monotonic|(?:process|thread)_time|getrusage|setitimer\(|os\.times"
    r"|timeout=(?!PATIENCE|\{round\(PATIENCE)|alarm\((?!round\(PATIENCE)|\.(?:wait|join|result)\((?:timeout=)?[\d.]"
)
C = re.compile(
    r"\b(?:clock|clock_gettime|gettimeofday|time|times|getrusage|b2d_milliseconds|b2d_ticks|__rdtsc"
    r"|(?:u|nano)?sleep|alarm|__builtin_ia32_rdtsc)\s*\(|time\.h|timer\.h"
)


def found(path: Path) -> list[str]:
    pattern = PYTHON if path.suffix == ".py" else C
    lines = path.read_text(encoding="utf-8").splitlines()
    return [f"{path.relative_to(TESTS)}:{k}: {line.strip()}" for k, line in enumerate(lines, 1) if pattern.search(line)]


def test_no_test_reads_a_clock() -> None:
    paths = [path for kind in ("py", "c", "h", "inl") for path in sorted(TESTS.rglob(f"*.{kind}"))]
    names = {path.relative_to(TESTS).as_posix(): path for path in paths}
    assert set(EXCEPTIONS) <= {name for name, path in names.items() if found(path)}
    assert [line for name, path in names.items() if name not in EXCEPTIONS for line in found(path)] == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [(PYTHON, "start = time.monotonic()"), (PYTHON, "time.sleep(0.1)"), (PYTHON, "from time import thread_time"),
     (PYTHON, "run(command, timeout=60)"), (PYTHON, "event.wait(20)"), (PYTHON, "signal.alarm(20)"),
     (PYTHON, "future.result(5.0)"),
     (C, "usleep(2000); // all parked"), (C, '#include "base/timer.h"'), (C, "double start = b2d_milliseconds();")],
)  # fmt: skip
def test_a_clock_is_recognised(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [(PYTHON, "time.sleep(0)"), (PYTHON, "world.sleep_time = 0.1"), (PYTHON, "run(command, timeout=PATIENCE)"),
     (PYTHON, "gate.wait()"), (C, "b2d_time_of_impact(a, sa, b, sb, 1, slop)"), (C, "island->sleep_timer"),
     (PYTHON, "future.result(PATIENCE)")],
)  # fmt: skip
def test_simulated_time_is_no_clock(pattern: re.Pattern[str], line: str) -> None:
    assert not pattern.search(line)
