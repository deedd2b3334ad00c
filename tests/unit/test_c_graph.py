"""The graph's C tests (tests/c/test_graph.c), linked with the core that the golden driver builds."""

from __future__ import annotations

import os
import shutil

import pytest

from ..golden import driver
from ..patience import finished

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the driver is built with gcc or clang command lines")


def test_roots_and_colours_of_the_graph_follow_their_rules() -> None:
    """Sizes of rows by static asserts, colours by a bitset for each colour, islands by 20 orders of 10,000 links."""
    if not (shutil.which("gcc") or shutil.which("cc")):
        pytest.skip("no C compiler on the path")
    program, said = driver.reference("test_graph.c")
    assert said == ""
    ran = finished(driver.command(program))
    assert ran.returncode == 0, ran.stderr
    assert [line for line in ran.stdout.splitlines() if line.startswith("ok")] == [
        "ok   links",
        "ok   colours",
        "ok   order",
        "ok   changes",
        "ok   creation",
    ]
