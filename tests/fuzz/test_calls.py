"""Random calls of the whole public API raise only what is documented, and leave a valid world."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import box2dpy as b2

from .calls import DOCUMENTED, Calls, Raised, public_attributes, run

ROOT = Path(__file__).resolve().parents[2]
# They need what the fuzzer draws too rarely for this test; `plot` and `close` are slow and final.
RARE = {"plot", "close", "from_snapshot", "set_material_pair", "remove_material_pair"}
RARE |= {f"create_{kind}_joint" for kind in ("distance", "pogo", "pulley", "gear")}


def test_random_calls_raise_only_documented_exceptions() -> None:
    """50,000 calls, in two processes at the same time."""
    code = (
        "import sys; root = sys.argv.pop(1); sys.path.append(root); from tests.fuzz.calls import main; sys.exit(main())"
    )
    halves = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(ROOT), "25000", seed], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for seed in ("1", "40")
    ]
    for half in halves:
        said, _ = half.communicate()
        assert half.returncode == 0, said.decode()


def test_a_contact_without_memory_for_its_new_lane_is_not_placed() -> None:
    """A change of material needs a block of extra rows, and there is no memory: the process ended."""
    assert run(2000, 41116).failures == []


@pytest.mark.parametrize("kind", [b2.World, b2.Body, b2.Shape, b2.Chain])
def test_the_arguments_that_are_drawn_reach_every_attribute(kind: type) -> None:
    """What is only ever called with arguments that it refuses would not be tested."""
    calls = Calls(1)
    missing = set()
    for name in sorted(name for owner, name in public_attributes() if owner == kind.__name__ and name not in RARE):
        for _ in range(600):
            world = calls.worlds[0]
            ball = world.create_dynamic_body(calls.point())
            calls.objects[:] = [*world.joints, world.body(0), ball, ball.create_shape(calls.geometry()), world.save()]
            subjects = (world, ball, ball.shapes[0], ball.create_chain([(3, 3), (2, 3), (1, 3)]))
            with suppress(*DOCUMENTED, Raised, AttributeError, IndexError, KeyError):
                calls.attribute(next(each for each in subjects if type(each) is kind), name)
                break
            if ball.alive:
                ball.destroy()
        else:
            missing.add(name)
    assert missing == set()
