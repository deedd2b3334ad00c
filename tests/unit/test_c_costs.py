"""Calls of the core whose cost once grew with the square of what is there (tests/c/test_costs.c): eight times as much
takes eight times as many steps of the program, which are counted."""

from __future__ import annotations

import os
import shutil

import pytest

from ..golden import driver
from ..patience import finished

MORE = 8
MOST = 1.1 * MORE  # the trees and hash tables of the core grow by a little more


@pytest.mark.skipif(os.name == "nt", reason="the driver is built with gcc or clang command lines")
def test_what_is_done_for_many_things_of_few_bodies_grows_in_proportion() -> None:
    """Shapes, chains, joints, gears and contacts are made and removed. As a control, the mass of a body is read after
    each shape, and computed anew each time."""
    if not (shutil.which("gcc") or shutil.which("cc")):
        pytest.skip("no C compiler on the path")
    program, said = driver.reference("test_costs.c")
    assert said == ""
    ran = finished([str(program)])
    assert ran.returncode == 0, ran.stderr
    rows = [line.split() for line in ran.stdout.splitlines()]
    growth = {name: int(many) / int(few) for name, few, many in rows}
    assert growth.pop("add_and_read_mass") > 3 * MORE
    assert len(growth) == 31
    assert {name: factor for name, factor in growth.items() if factor > MOST} == {}
