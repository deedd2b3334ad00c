"""The core in WebAssembly gives the bits of the native one: the golden driver, every scene after each step."""

from __future__ import annotations

import pytest

from box2dpy import scenes

from . import driver, wasm


@pytest.fixture(autouse=True)
def _needs_wasm() -> None:
    wasm.needs_compiler()
    pytest.importorskip("wasmtime")


def test_webassembly_gives_the_golden_hash() -> None:
    program, said = driver.compiled_wasm(driver.sources(False), "-DB2D_NO_LAB")
    assert said == ""
    output = driver.run(program, *driver.WASM_RUNNER)
    assert {"scalar", "wasm", "auto-3"} < set(output)
    assert output["auto"] == "wasm"
    assert driver.hashes(output) == driver.hashes(driver.run(driver.reference()[0]))


@pytest.mark.parametrize("name", scenes.SCENES)
def test_each_step_of_a_scene_gives_the_native_hash(name: str) -> None:
    scene = scenes.get(name)
    with scene.world() as world:
        state = scene.build(world, 0.1)
        core = wasm.Core(world)
        assert core.hash() == world.state_hash()
        del state  # without the logic of the scene, which a log has
        for number in range(60):
            world.step()
            assert core.call("step", 1 / 60, 4) == 0
            assert core.hash() == world.state_hash(), f"step {number + 1}"
