"""The type checker accepts the programs of `cases.py` and refuses exactly the lines that are marked there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ..patience import finished

HERE = Path(__file__).resolve().parent


def test_the_type_checker_refuses_exactly_the_marked_lines() -> None:
    lines = (HERE / "cases.py").read_text(encoding="utf-8").splitlines()
    marks = ((number, re.search(r"# error: ([\w-]+)$", line)) for number, line in enumerate(lines, 1))
    wanted = {(number, mark[1]) for number, mark in marks if mark}
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--hide-error-context", str(HERE / "cases.py")]
    done = finished(command, cwd=HERE.parents[1])
    found = {
        (int(match[1]), match[2])
        for match in re.finditer(r"cases\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.M)
    }
    assert found == wanted, f"missed: {sorted(wanted - found)}, too many: {sorted(found - wanted)}\n{done.stdout}"
    assert len(found) == done.stdout.count("error:"), done.stdout
