"""A kind of random calls as a program: `python -m tests.fuzz.<kind> [calls] [first seed]`."""

from __future__ import annotations

import sys
from collections.abc import Callable


def main(run: Callable[[int, int], list[str]], most: int, what: str) -> None:
    """Makes `most` calls unless the program is given another number, prints what failed, and ends the program."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else most
    failures = run(calls, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for each in failures[:20]:
        print(each)
    print(f"{calls} {what}, {len(failures)} failures")
    sys.exit(bool(failures))
