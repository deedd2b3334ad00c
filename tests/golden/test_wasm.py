"""The core in WebAssembly gives the bits of the native one: the golden driver, every scene after each step,
dragged bodies. tests/samples/test_in_a_page.py has the samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import box2dpy as b2
from box2dpy import scenes
from box2dpy._bridge.library import ffi, lib
from box2dpy._page import build
from box2dpy._world.pages import StepLog
from box2dpy._world.state import _split

from . import driver, wasm
from .test_driver import all_builds


@pytest.fixture(autouse=True)
def _needs_wasm() -> None:
    wasm.needs_compiler()
    pytest.importorskip("wasmtime")


@all_builds
def test_webassembly_gives_the_golden_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("B2D_SIMD", raising=False)
    program, said = driver.compiled_wasm(driver.sources(False), "-DB2D_NO_LAB")
    assert said == ""
    output = driver.run(program, *driver.WASM_RUNNER)
    assert {"scalar", "wasm", "auto-3"} < set(output)
    assert output["auto"] == "wasm"
    assert driver.hashes(output) == driver.hashes(driver.run(driver.reference()[0]))


@pytest.mark.parametrize("name", scenes.SCENES)
def test_each_step_of_a_scene_gives_the_native_hash(name: str) -> None:
    """With the logic of the scene, whose calls are in a log, and then without it."""
    scene = scenes.get(name)
    with scene.world() as world:
        state = scene.build(world, 0.1)
        core = wasm.Core(world)
        assert core.hash() == world.state_hash()
        log = StepLog(world)
        for number in range(120):
            if number < 60:
                scene.advance(world, state, number)
            world.step(1 / 60, 4)
            if number < 60:
                log.take()
                assert core.replay(log.parts[-1:])
            else:
                assert core.call("step", 1 / 60, 4) == 0
            assert core.hash() == world.state_hash(), f"step {number + 1}"
        log.stop()
        positions = core.positions()
        alive = world.arrays.bodies["type"] >= 0
        assert np.array_equal(positions[alive], world.arrays.position[alive])


def test_a_dragged_body_moves_as_with_a_mouse_drag() -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        for k in range(12):
            world.create_dynamic_body((0.3 * (k % 3), 0.5 + k), angle=0.2 * k).create_shape(b2.Box(0.5, 0.4))
        core = wasm.Core(world)
        assert core.call("grab", 30.0, 5.0, 0.05, 5.0, 1.0, 100.0) == -1
        for point in ((0.3, 4.4), (0.9, 0.5), (0.55, 0.5)):  # in a body, beside one, where another ends
            drag = b2.MouseDrag(world, point)
            assert core.call("grab", *point, 0.05, 5.0, 1.0, 100.0) == (drag.body.index if drag.body else -1)
            for k in range(40):
                place = (point[0] + 0.1 * k, point[1] + 0.05 * k)
                drag.move(place)
                core.call("drag", *place)
                world.step()
                assert core.call("step", 1 / 60, 4) == 0
                assert core.hash() == world.state_hash()
            drag.release()
            core.call("release")
        assert core.hash() == world.state_hash()


def test_what_was_done_there_gives_the_same_hash_here() -> None:
    """Drags, thrown boxes and a reset; the log is replayed natively."""
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        for k in range(6):
            world.create_dynamic_body((0, 0.5 + k)).create_shape(b2.Box(0.5, 0.5))
        core = wasm.Core(world)
        start = core.hash()
        for _ in range(20):
            core.call("step", 1 / 60, 4)
        assert core.call("reset") == 0
        assert core.hash() == start
        assert core.call("log_start") == 0
        parts = []
        for k in range(90):
            if k == 5:
                assert core.call("grab", 0.0, 2.4, 0.05, 5.0, 1.0, 100.0) == 3
            if 5 < k < 40:
                core.call("drag", 0.2 * k, 4.0)
            if k == 50:
                core.call("release")
                assert core.call("throw", -5.0, 3.0, 12.0, 2.0, 0.3) == 0
            core.call("step", 1 / 60, 4)
            parts.append(core.log())
        log, replay = b"".join(parts), ffi.new("b2d_replay *")
        assert lib.b2d_world_replay(world._ptr, ffi.from_buffer("uint8_t[]", log), len(log), replay) == 0
        assert replay.equal
        assert replay.steps == 90
        assert world.state_hash() == core.hash()


def test_a_damaged_snapshot_is_refused_with_a_reason() -> None:
    with b2.World() as world:
        world.create_dynamic_body().create_shape(b2.Circle(1))
        data = bytearray(_split(world.snapshot())[0])
    core = wasm.Core()
    for k in range(0, len(data), max(1, len(data) // 40)):
        damaged = bytes(data[:k]) + bytes([data[k] ^ 0x40]) + bytes(data[k + 1 :])
        assert core.call("open", core.write(damaged), len(damaged)) & 0xFF == lib.B2D_SNAPSHOT
        assert core.read(core.call("message"), 8).startswith(b"section")
    core.open(bytes(data))


@all_builds
def test_equal_sources_give_equal_bytes(tmp_path: Path) -> None:
    assert build.compiled(tmp_path)[0] == wasm.module_bytes()
