"""Golden hashes. A changed one is a change of behaviour: it goes into CHANGELOG.md under BEHAVIOUR."""

from __future__ import annotations

import pytest

from box2dpy import scenes
from box2dpy._world.pages import StepLog

from . import wasm
from .matrix import SIMD, STEPS, Options, covering_subset, final_hash, has

# scene: (scale, hash after 300 steps)
GOLDEN = {
    "large_pyramid": (0.2, 0xDD58679DB5EF4418),
    "tumbler": (0.3, 0x3C981711C68CE532),
    "mixed_pile": (0.3, 0xAA5605BB5D3D3814),
    "falling_hinges": (1.0, 0xE83C39652D53F901),
    "cranes": (1.0, 0xA7AC53EEDBDA3839),  # joints solved directly
    "spinner": (0.05, 0x50FCE6BBE4C25295),  # 190 sweeps a step against a chain, in all ways that end early
    "menagerie": (1.0, 0x9338A898CFB109D3),  # one of everything: any change of a joint row, chain, sensor or bullet
}
# Whole scenes, for what is rare: an error in the stops in wedges first changed junkyard in step 110
WHOLE = {"junkyard": 0xAC16F7E01CDDF896, "compounds": 0xB9051405F09E6663, "spinner": 0x61BD5C286C64F015}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_scenes_give_the_golden_hash(name: str) -> None:
    found = final_hash(name, Options(2, "auto", "auto", "batched"), 1.0)
    assert f"{found:#018x}" == f"{WHOLE[name]:#018x}"


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("options", covering_subset(), ids=lambda o: "-".join(map(str, o)))
def test_every_option_gives_the_golden_hash(name: str, options: Options) -> None:
    scale, golden = GOLDEN[name]
    assert f"{final_hash(name, options, scale):#018x}" == f"{golden:#018x}"


@pytest.mark.parametrize("name", GOLDEN)
def test_the_core_of_web_pages_gives_the_golden_hash(name: str) -> None:
    """The calls of the scene's logic are in a log, which the core in WebAssembly makes again."""
    wasm.needs_compiler()
    pytest.importorskip("wasmtime")
    scale, golden = GOLDEN[name]
    scene = scenes.get(name)
    with scene.world() as world:
        state = scene.build(world, scale)
        core, log = wasm.Core(world), StepLog(world)
        for number in range(STEPS):
            scene.advance(world, state, number)
            world.step(1 / 60, 4)
            log.take()
    assert core.replay(log.parts)
    assert f"{core.hash():#018x}" == f"{golden:#018x}"


@pytest.mark.parametrize("simd", SIMD)
def test_every_simd_width_of_this_cpu_is_compiled_in(simd: str) -> None:
    if not has(simd):
        pytest.skip(f"this CPU has no {simd}: its hash is not checked here")
    assert has(simd)


@pytest.mark.parametrize("name", GOLDEN)
def test_delayed_workers_do_not_change_the_hash(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scale, golden = GOLDEN[name]
    for seed in range(1, 4):
        monkeypatch.setenv("B2D_CHAOS", str(seed))
        options = Options(3, "auto", "auto", "batched")
        assert f"{final_hash(name, options, scale):#018x}" == f"{golden:#018x}"
