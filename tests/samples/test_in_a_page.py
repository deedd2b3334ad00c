"""Every sample in the core of web pages: the calls of its logic are replayed there, with the same hash each step."""

from __future__ import annotations

import pytest

import box2dpy as b2
import samples
from box2dpy._world.pages import StepLog
from samples import Run, slug

from ..golden import wasm

ALL = samples.load()
STEPS = 60


@pytest.mark.parametrize("name", ALL, ids=[slug(name) for name in ALL])
def test_a_sample_gives_the_native_hash_after_each_step(name: str) -> None:
    wasm.needs_compiler()
    pytest.importorskip("wasmtime")
    kind = ALL[name]
    with Run(kind, scale=0.1 if kind.category == "Benchmark" else 1.0, demo=True) as run:
        if run.world.strategies.changes_of_results():
            pytest.skip("a strategy of the lab, which pages do not have")
        core = wasm.Core(run.world)
        log = StepLog(run.world)
        for step in range(STEPS):
            run.step()
            try:
                log.take()
            except b2.Box2DError as error:
                pytest.skip(f"after {step} steps: {error}")
            assert core.replay(log.parts[-1:])
            assert core.hash() == run.world.state_hash(), f"step {step + 1}"
