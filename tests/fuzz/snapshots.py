"""Damaged snapshots with repaired checksums: `python -m tests.fuzz.snapshots [cases] [first seed]`.

A case changes a few bytes in the rows of a good snapshot, or cuts and joins two of them, repairs all checksums, and
lets a world read the result. The world either refuses it with `SnapshotError` and is as it was, or has a valid state
with which it can go on. Run it in a build with the address sanitizer (`make address`) to see every access to memory.
`python -m tests.fuzz.snapshots keep` writes the files that are kept as tests.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import box2dpy as b2
from box2dpy._bridge.library import ffi, lib

from ..seeds import draws
from ..stepping import advance

HEAD, SECTION = 32, 64


def rich_world(seed: int) -> b2.World:
    """A small world with a bit of everything: sleep, joints, chains, sensors, extra blocks, direct assemblies."""
    draw = draws(seed)
    world = b2.World(sleep_time=0.2)
    ground = world.create_static_body((0, -1), name="ground")
    ground.create_shape(b2.Box(20, 1))
    ground.create_chain([(x, 0.2 * (x % 3)) for x in range(8, -8, -1)], loop=False)
    world.set_material_pair(1, 2, friction=0.3)
    bodies = []
    for k in range(12):
        body = world.create_dynamic_body((draw.uniform(-4, 4), 1 + 0.7 * k), bullet=k == 3)
        kind = draw.choice((b2.Box(0.3, 0.4), b2.Circle(0.3), b2.Capsule((0, 0), (0.4, 0), 0.2)))
        body.create_shape(
            b2.Polygon([(0.5, 0), (0.25, 0.4), (-0.25, 0.4), (-0.5, 0), (0, -0.4)]) if k % 5 == 0 else kind,
            restitution=0.5 if k % 4 == 0 else 0.0,
            material=k % 3,
            hit_events=k % 2 == 0,
            sensor_events=True,
            one_way=(0, 1) if k == 7 else None,
        )
        bodies.append(body)
    world.create_static_body((0, 1)).create_shape(b2.Box(3, 1), sensor=True, sensor_events=True)
    first = world.create_revolute_joint(ground, bodies[0], anchor=(0, 3))
    second = world.create_revolute_joint(ground, bodies[1], anchor=(1, 3), force_threshold=1.0)
    world.create_gear_joint(first, second, ratio=2.0)
    world.create_distance_joint(bodies[2], bodies[3], local_anchor_a=(0, 0), local_anchor_b=(0, 0))
    last = ground
    for k in range(4):
        link = world.create_dynamic_body((-6 + 0.3 * k, 6))
        link.create_shape(b2.Box(0.15, 0.02))
        link.mass = 200.0 if k == 3 else 1.0
        world.create_revolute_joint(last, link, anchor=(-6.15 + 0.3 * k, 6))
        last = link
    advance(world, draw.choice((1, 20, 90)))
    bodies[5].destroy()
    bodies[6].shapes[0].destroy()
    return world


def joint_world() -> b2.World:
    """A joint of every type, between two bodies each; half of the bodies are on the ground."""
    world = b2.World()
    ground = world.create_static_body((0, -1))
    ground.create_shape(b2.Box(40, 1))
    bodies = []
    for k in range(28):
        body = world.create_dynamic_body((1.2 * k - 16, 0.4 if k % 4 < 2 else 3.0))
        body.create_shape(b2.Box(0.4, 0.4))
        bodies.append(body)
    ends: dict[str, Any] = {"local_anchor_a": (0.4, 0), "local_anchor_b": (-0.4, 0)}
    slide: dict[str, Any] = {"axis": (1, 0), "enable_spring": True, "hertz": 2, "enable_limit": True}
    pairs = [(bodies[k], bodies[k + 1]) for k in range(0, 28, 2)]
    hinge = world.create_revolute_joint(*pairs[0], **ends, enable_motor=True, motor_speed=2, max_motor_torque=4)
    rail = world.create_prismatic_joint(*pairs[1], **ends, **slide, lower_translation=-0.2, upper_translation=0.5)
    world.create_gear_joint(hinge, rail, ratio=0.7)
    world.create_distance_joint(*pairs[2], **ends, enable_limit=True, min_length=0.2, max_length=1.4)
    world.create_wheel_joint(*pairs[3], **ends, axis=(0, 1), hertz=3, enable_motor=True, motor_speed=4)
    world.create_weld_joint(*pairs[4], **ends, linear_hertz=3, angular_hertz=2)
    world.create_motor_joint(*pairs[5], **ends, linear_hertz=2, max_spring_force=60, max_velocity_torque=1)
    world.create_filter_joint(*pairs[6])
    world.create_pulley_joint(*pairs[7], **ends, ratio=1.5, ground_anchor_a=(1, 9), ground_anchor_b=(3, 9))
    world.create_mover_joint(*pairs[8], linear_velocity=(1, 0), max_velocity_force=(3, 12))
    world.create_pogo_joint(*pairs[9], local_anchor_a=(0, 0), local_anchor_b=(0, 0), max_tension_force=3)
    world.create_ratchet_joint(*pairs[10], ratchet=0.2)
    world.create_groove_joint(*pairs[11], groove_start=(0, 0), groove_end=(0.8, -0.5))
    world.create_rotary_spring_joint(*pairs[12], hertz=1, damping_ratio=0.1)
    world.connect(*pairs[13])
    advance(world, 10)
    return world


def sections(core: bytes) -> list[tuple[str, int, int]]:
    """The name of each section, and where its rows begin and end."""
    found, at = [], HEAD
    while at < len(core):
        rows, size = struct.unpack_from("<II", core, at + 40)
        name = core[at : at + 40].rstrip(b"\0").decode()
        found.append((name, at + SECTION, at + SECTION + rows * size))
        at += SECTION + rows * size
    return found


def split(data: bytes) -> tuple[bytes, bytes]:
    """The bytes of the core, and the texts."""
    end = int.from_bytes(data[16:24], "little")
    return data[:end], data[end:]


def repair(core: bytearray) -> bool:
    return bool(lib.b2d_repair_snapshot(ffi.from_buffer("uint8_t[]", core), len(core)))


class Cases:
    """Draws damaged snapshots and reads them."""

    def __init__(self, seed: int) -> None:
        self.draw = draws(seed)
        self.sources: list[tuple[bytes, bytes]] = []
        for k in range(3):
            with rich_world(seed + k) as world:
                self.sources.append(split(world.snapshot(compress=False)))
        self.world = rich_world(seed)
        self.hash = self.world.state_hash()
        self.refused = self.accepted = 0

    def value(self, old: bytes) -> bytes:
        draw, size = self.draw, len(old)
        number = int.from_bytes(old, "little")
        chosen = draw.choice(
            (
                number + draw.choice((-1, 1, 2, -2, 16, 64)),
                number ^ 1 << draw.randrange(8 * size),
                draw.choice((0, 1, -1, 2**31 - 1, -(2**31), 100, 5)),
                draw.getrandbits(8 * size),
            )
        )
        return (chosen % 256**size).to_bytes(size, "little")

    def damaged(self) -> bytes:
        draw = self.draw
        core, texts = draw.choice(self.sources)
        changed = bytearray(core)
        if draw.random() < 0.1:  # rows of another world
            other = {name: core_[a:b] for core_ in [draw.choice(self.sources)[0]] for name, a, b in sections(core_)}
            name, a, b = draw.choice(sections(core))
            if len(other[name]) == b - a:
                changed[a:b] = other[name]
        else:
            for _ in range(draw.choice((1, 1, 1, 2, 4))):
                name, a, b = draw.choice([each for each in sections(core) if each[2] > each[1]])
                size = draw.choice((1, 2, 4, 4, 4, 8))
                if size > b - a:
                    size = 1
                at = a + draw.randrange((b - a) // size) * size
                changed[at : at + size] = self.value(bytes(changed[at : at + size]))
        assert repair(changed)
        return bytes(changed) + texts

    def run(self) -> None:
        """One case."""
        data = self.damaged()
        try:
            self.world.restore(data)
        except b2.SnapshotError as error:
            assert "section" in str(error), error
            self.refused += 1
            assert self.world.state_hash() == self.hash
            return
        self.accepted += 1
        self.world.validate()
        for _ in range(3):
            self.world.step()
            self.world.ray_cast((-9, 0.5), (18, 0))
        for body in list(self.world.bodies)[:3]:
            body.destroy()
        self.world.create_dynamic_body((0, 3)).create_shape(b2.Circle(0.4))
        self.world.step()
        self.world.close()
        self.world = rich_world(1)
        self.hash = self.world.state_hash()


def run(count: int, seed: int) -> Cases:
    cases = Cases(seed)
    for _ in range(count):
        cases.run()
    cases.world.close()
    return cases


def keep() -> None:
    """Writes files that tests/oracle/test_snapshot.py keeps; the names have the hashes of the states.

    The file of NEON is what `golden_driver 40 neon FILE` writes under qemu (`make neon` builds it), with the texts of a
    snapshot of this package behind it, compressed by lzma.
    """
    folder = Path(__file__).parents[1] / "oracle" / "snapshots"
    for old in folder.glob("v1-*.b2d"):
        old.unlink()
    for seed in (1, 2, 3):
        with rich_world(seed) as world:
            (folder / f"v1-{seed}-{world.state_hash():016x}.b2d").write_bytes(world.snapshot(compress=False))


if __name__ == "__main__" and sys.argv[1:] == ["keep"]:
    keep()
elif __name__ == "__main__":
    total, first = (int(text) for text in (*sys.argv[1:], "20000", "1")[:2])
    done = run(total, first)
    print(f"{total} damaged snapshots: {done.refused} were refused, {done.accepted} gave valid worlds")
