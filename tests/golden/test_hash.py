"""Golden hashes. A changed one is a change of behaviour: it goes into CHANGELOG.md under BEHAVIOUR."""

from __future__ import annotations

import pytest

from .matrix import SIMD, Options, covering_subset, final_hash, has

# scene: (scale, hash after 300 steps)
GOLDEN = {
    "large_pyramid": (0.2, 0xCBCFAD9DB9E1C93),
    "tumbler": (0.3, 0x18D12442498D90BE),
    "mixed_pile": (0.3, 0xC9D4AFA7C0272C9A),
    "falling_hinges": (1.0, 0x68A8B4E6341377CF),
    "cranes": (1.0, 0x34868EE45767C8B5),  # joints solved directly
    "spinner": (0.05, 0x28503452012A429A),  # 190 sweeps a step against a chain, in all ways that end early
    "menagerie": (1.0, 0x7BF61CD9F5AD5E79),  # one of everything: any change of a joint row, chain, sensor or bullet
}


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("options", covering_subset(), ids=lambda o: "-".join(map(str, o)))
def test_every_option_gives_the_golden_hash(name: str, options: Options) -> None:
    scale, golden = GOLDEN[name]
    assert f"{final_hash(name, options, scale):#018x}" == f"{golden:#018x}"


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
