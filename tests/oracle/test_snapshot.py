"""The bytes of a world: they give the same world again, and bytes that are wrong in any way give `SnapshotError`."""

from __future__ import annotations

import lzma
import os
import pickle
import re
import struct
import sys
from pathlib import Path

import pytest

import box2dpy as b2
from box2dpy.scenes import SCENES, Scene

from ..fuzz.snapshots import HEAD, repair, rich_world, run, sections, split
from ..patience import finished
from ..seeds import draws
from ..stepping import advance
from .lockstep import DT
from .test_memory_failures import failing
from .test_state import hashes

KEPT = Path(__file__).with_name("snapshots")


@pytest.mark.parametrize("scene", SCENES.values(), ids=list(SCENES))
def test_every_scene_goes_on_with_the_same_bits_from_its_bytes(scene: Scene) -> None:
    with scene.world(workers=1) as world:
        fixture, number = scene.build(world, 0.12), 0
        for moment in (0, 7, 40):
            while number < moment:
                scene.advance(world, fixture, number)
                world.step(DT, 4)
                number += 1
            data = world.snapshot(compress=False)
            assert world.snapshot(compress=False) == data
            before, wanted = world.state_hash(), hashes(world, 6)
            with b2.World.from_snapshot(data, workers=2, broadphase="tree", simd="scalar") as other:
                assert other.state_hash() == before
                assert hashes(other, 6) == wanted
                other.restore(data)
                assert hashes(other, 6) == wanted
                other.validate()
            world.restore(data)
            assert world.state_hash() == before


@pytest.mark.parametrize("seed", range(3))
def test_bytes_give_equal_bytes_again(seed: int) -> None:
    with rich_world(seed) as world:
        data = world.snapshot(compress=False)
        with b2.World.from_snapshot(data) as other:
            assert other.snapshot(compress=False) == data
            assert other.body(0).name == "ground"
            assert len(other.joints) == len(world.joints)
            assert hashes(other, 30) == hashes(world, 30)


def test_truncated_and_flipped_bytes_are_refused_and_change_nothing() -> None:
    draw = draws(1)
    with rich_world(1) as world:
        data, before = world.snapshot(compress=False), world.state_hash()
        cuts = [
            0, 1, 7, 8, 23, 24, HEAD - 1, HEAD, HEAD + 1, len(data) - 1,
            *(draw.randrange(len(data)) for _ in range(60)),
        ]  # fmt: skip
        for cut in cuts:
            with pytest.raises(b2.SnapshotError, match="section"):
                world.restore(data[:cut])
        for _ in range(300):
            at, bit = draw.randrange(len(data)), draw.randrange(8)
            wrong = bytearray(data)
            wrong[at] ^= 1 << bit
            with pytest.raises(b2.SnapshotError, match="section"):
                world.restore(wrong)
            with pytest.raises(b2.SnapshotError, match="section"):
                b2.World.from_snapshot(wrong)
        for wrong in (b"", b"text", data + b"more", bytes(len(data)), data[8:]):
            with pytest.raises(b2.SnapshotError, match="section"):
                world.restore(wrong)
        assert world.state_hash() == before
        world.validate()
        world.restore(data)


def test_words_that_change_places_are_found() -> None:
    """The checksum has several sums of words in turn; words may change places within a sum and between two."""
    with rich_world(2) as world:
        good = world.snapshot(compress=False)
        before, draw = world.state_hash(), draws(7)
        for distance in (1, 3, 8, 16, 64):
            for _ in range(40):
                at = HEAD + 8 * draw.randrange((len(good) - HEAD) // 8 - distance)
                other = at + 8 * distance
                changed = bytearray(good)
                changed[at : at + 8], changed[other : other + 8] = good[other : other + 8], good[at : at + 8]
                if changed != good:
                    with pytest.raises(b2.SnapshotError):
                        world.restore(changed)
        assert world.state_hash() == before


def test_the_message_names_the_damaged_section() -> None:
    with rich_world(1) as world:
        data = world.snapshot(compress=False)
        for name, begin, end in sections(split(data)[0]):
            if end > begin:
                wrong = bytearray(data)
                wrong[begin] ^= 1
                with pytest.raises(b2.SnapshotError, match=re.escape(f"section {name}: it is damaged")):
                    world.restore(wrong)
        newer = bytearray(data)
        newer[8] = 2
        with pytest.raises(b2.SnapshotError, match="version 2, this build reads version 1"):
            world.restore(newer)


def test_compressed_bytes_are_few_and_hold_the_same() -> None:
    with b2.World() as world:
        ground = world.create_static_body().create_shape(b2.Box(50, 1, (0, -1)))
        grid = [(1.1 * (k % 40), 0.5 + k // 40) for k in range(1000)]
        world.create_bodies(grid, geometry=b2.Box(0.5, 0.5))
        plain, packed = world.snapshot(compress=False), world.snapshot()
        assert len(packed) < 0.1 * len(plain)
        assert packed == world.snapshot()
        with b2.World.from_snapshot(packed) as other:
            assert other.snapshot(compress=False) == plain
        ground.destroy()
        world.restore(packed)
        assert world.snapshot(compress=False) == plain


def test_damaged_compressed_bytes_are_refused() -> None:
    with rich_world(1) as world:
        packed, plain = world.snapshot(), world.snapshot(compress=False)
        draw = draws(3)
        for data in (packed[:-1], packed + b"x", packed[:12], packed[:16], packed[:8] + b"\xff" * 8 + packed[16:]):
            with pytest.raises(b2.SnapshotError, match="section head"):
                world.restore(data)
        refused = 0
        for _ in range(300):
            changed = bytearray(packed)
            changed[draw.randrange(8, len(packed))] ^= 1 << draw.randrange(8)
            try:
                world.restore(changed)
            except b2.SnapshotError:
                refused += 1
            # A stream may say the same in another way: from elsewhere in a run of zeros, or with other bits at its end
            assert world.snapshot(compress=False) == plain
        assert refused > 0


def test_bytes_hold_data_that_is_json() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body(data={"sprite": "crate.png", "size": (1, 2)})
        shape = body.create_shape(b2.Circle(1), data="skin")
        other_body = world.create_static_body()
        joint = world.create_revolute_joint(other_body, body, anchor=(0, 0))
        joint.data = [1.5, None, True]
        for compress in (False, True):
            data = world.snapshot(data=True, compress=compress)
            with b2.World.from_snapshot(data) as copy:
                assert copy.body(0).data == {"sprite": "crate.png", "size": [1, 2]}
                assert copy.shape(shape.index).data == "skin"
                assert copy.joint(joint.index).data == [1.5, None, True]
            body.data = "changed"
            world.restore(data)
            assert body.data == {"sprite": "crate.png", "size": [1, 2]}
        body.data = "changed"
        world.restore(world.snapshot())  # without data: what exists keeps its own
        assert body.data == "changed"
        shape.data = object()
        circle: list[object] = []
        circle.append({"again": circle})
        world.body(0).data = circle
        with pytest.raises(TypeError, match="data of body 0 is no JSON: it contains itself, or is nested too deeply"):
            world.snapshot(data=True)
        world.body(0).data = None
        with pytest.raises(TypeError, match="data of shape 0=.* is no JSON"):
            world.snapshot(data=True)
        assert world.snapshot()


def test_every_section_is_needed() -> None:
    with rich_world(1) as world:
        core, texts = split(world.snapshot(compress=False))
        places = sections(core)
        starts = [begin - 64 for _, begin, _ in places]
        for k, (name, _, end) in enumerate(places):
            changed = bytearray(core[: starts[k]] + core[end:])
            changed[12:16] = (len(places) - 1).to_bytes(4, "little")
            changed[16:24] = len(changed).to_bytes(8, "little")
            assert repair(changed)
            with pytest.raises(b2.SnapshotError, match=re.escape(f"section {name}: it is missing")):
                world.restore(bytes(changed) + texts)


def test_damaged_rows_with_good_checksums_are_refused_or_valid() -> None:
    cases = run(1500, 7)
    assert cases.refused > 500
    assert cases.accepted > 100


def test_a_destroyed_shape_that_is_marked_as_moved_is_refused() -> None:
    with rich_world(1) as world:
        core, texts = split(world.snapshot(compress=False))
        dead = next(k for k in range(100) if k not in {shape.index for shape in world.shapes})
        places = {name: (begin, end) for name, begin, end in sections(core)}
        begin, end = places["proxies.moved"]
        assert dead < len(world.shapes), "a shape after it exists"
        changed = bytearray(core)
        if end > begin:
            changed[begin + dead // 8] |= 1 << dead % 8
            assert repair(changed)
            with pytest.raises(b2.SnapshotError, match=r"section proxies\.moved"):
                world.restore(bytes(changed) + texts)
        else:  # no shape is marked, so the section has no rows: it gets one
            changed[begin:end] = (1 << dead).to_bytes(8, "little")
            changed[begin - 24 : begin - 20] = (1).to_bytes(4, "little")
            changed[16:24] = len(changed).to_bytes(8, "little")
            assert repair(changed)
            with pytest.raises(b2.SnapshotError, match=r"section proxies\.moved"):
                world.restore(bytes(changed) + texts)


def test_a_switch_is_on_or_off_whatever_its_byte_is() -> None:
    """Found by libFuzzer: a bool of the core had the value 32."""
    with rich_world(1) as world:
        core, texts = split(world.snapshot(compress=False))
        begin, end = next((a, b) for name, a, b in sections(core) if name == "direct.all_changed")
        assert end == begin + 1
        changed = bytearray(core)
        changed[begin] = 32
        assert repair(changed)
        world.restore(bytes(changed) + texts)
        assert world.snapshot(compress=False)[begin] == 1


def test_a_shape_of_another_type_than_its_form_is_refused() -> None:
    """Found by libFuzzer: a circle that called itself a segment of a chain was read as one, through NULL."""
    with b2.World() as world:
        world.create_dynamic_body().create_shape(b2.Circle(0.5))
        core, texts = split(world.snapshot(compress=False))
        begin, end = next((a, b) for name, a, b in sections(core) if name == "shapes")
        refused = 0
        for at in range(begin, end):
            for value in range(8):
                changed = bytearray(core)
                changed[at] = value
                assert repair(changed)
                try:
                    b2.World.from_snapshot(bytes(changed) + texts).close()
                except b2.SnapshotError:
                    refused += 1
        assert refused > 0


@pytest.mark.parametrize("property", ["center of mass", "mass", "force"])
def test_a_body_with_numbers_that_are_not_finite_is_refused(property: str) -> None:
    """Found by libFuzzer: a centre of mass of NaN moved its body to NaN in the next step."""
    with b2.World(gravity=(0, 0)) as world:
        body = world.create_dynamic_body()
        body.create_shape(b2.Circle(0.5))
        body.mass, body.local_center = 3.125, (0.15625, 0.0)
        body.apply_force((1.375, 0.0))
        core, texts = split(world.snapshot(compress=False))
        number = struct.pack("<f", {"center of mass": 0.15625, "mass": 3.125, "force": 1.375}[property])
        assert core.count(number) >= 1
        changed = bytearray(core.replace(number, struct.pack("<f", float("nan"))))
        assert repair(changed)
        with pytest.raises(b2.SnapshotError, match="body 0"):
            world.restore(bytes(changed) + texts)
        world.validate()


def test_without_memory_the_world_is_as_it_was() -> None:
    with rich_world(1) as source:
        data, wanted = source.snapshot(), source.state_hash()
    for after in range(600):
        with b2.World() as world:
            world.create_dynamic_body().create_shape(b2.Circle(1))
            world.step()
            before = world.state_hash()
            try:
                with failing(world, after):
                    world.restore(data)
            except MemoryError:
                assert world.state_hash() == before
                world.validate()
            else:
                assert world.state_hash() == wanted
                break
    else:
        raise AssertionError("the call never succeeded")
    assert after > 20


def test_kept_files_of_this_version_are_read() -> None:
    """Files that earlier builds wrote, one of them a build for NEON under qemu; the name says the hash of the state."""
    files = sorted(KEPT.glob("v1-*"))
    assert len(files) > 3
    for file in files:
        data = lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()
        with b2.World.from_snapshot(data) as world:
            assert f"{world.state_hash():016x}" == file.name.split("-")[-1].split(".")[0]
            world.validate()
            assert world.body(0).name == "ground"
            advance(world, 30)
            world.validate()


class Game(b2.World):
    """A subclass with attributes of its own, which a pickle of another process must find by name."""

    def __init__(self) -> None:
        super().__init__(sleep_time=1.5)
        self.hero = self.create_dynamic_body((0, 3), name="hero")
        self.score = [1]
        self.categories.add("ghost")


def test_pickles_carry_data_and_handles() -> None:
    with Game() as game:
        friend = game.create_dynamic_body((2, 2))
        shape = friend.create_shape(b2.Circle(0.5))
        game.hero.data = {"friend": friend, "shape": shape, "items": [1, 2]}
        advance(game, 10)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            other, other_friend = pickle.loads(pickle.dumps((game, friend), protocol))
            assert type(other) is Game
            assert other.state_hash() == game.state_hash()
            assert other.score == [1]
            assert other.hero is other.body(0)
            assert other.hero.name == "hero"
            assert other.hero.data["friend"] is other_friend is other.body(1)
            assert other.hero.data["shape"] is other.shape(0)
            assert list(other.categories) == ["default", "ghost"]
            assert other.sleep_time == 1.5
            other.close()
        alone = pickle.loads(pickle.dumps(friend))
        assert alone.world.hero.data["friend"] is alone
        assert hashes(alone.world, 5) == hashes(game, 5)
    with pytest.raises(b2.DestroyedError):
        pickle.dumps(game)


def test_another_process_reads_pickles_and_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    with rich_world(2) as world:
        (tmp_path / "world").write_bytes(pickle.dumps(world))
        program = (
            "import pickle, sys; world = pickle.load(open(sys.argv[1], 'rb'));"
            "[world.step() for _ in range(20)]; print(world.state_hash())"
        )
        done = finished(
            [sys.executable, "-c", program, str(tmp_path / "world")],
            check=True,
            env={**os.environ, "PYTHONPATH": str(Path(b2.__file__).parents[1])},
        )
        advance(world, 20)
        assert int(done.stdout) == world.state_hash()


def test_from_snapshot_takes_the_options_of_a_world() -> None:
    with rich_world(1) as world:
        data = world.snapshot(compress=False)
    with b2.World.from_snapshot(data, gravity=(1, 2), workers=3, narrowphase="per_pair") as other:
        assert (other.gravity, other.workers, other.strategies.narrowphase) == ((1, 2), 3, "per_pair")
    with b2.World.from_snapshot(data) as other:
        assert (other.gravity, other.workers, other.sleep_time) == ((0, -10), 1, pytest.approx(0.2))
    for options, error in (({"wokers": 2}, TypeError), ({"workers": 0}, ValueError), ({"sleep_time": -1}, ValueError)):
        with pytest.raises(error):
            b2.World.from_snapshot(data, **options)  # type: ignore[arg-type]
    for wrong in (None, "text", 3):
        with pytest.raises(TypeError, match="bytes"):
            b2.World.from_snapshot(wrong)  # type: ignore[arg-type]
