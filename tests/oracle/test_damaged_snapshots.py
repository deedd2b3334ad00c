"""Snapshots in which one number is wrong, and all checksums are right: each is refused with the name of its section.

The numbers are found by the layouts of csrc/state/tables.def. A world that accepted one of them would go on with values
that its setters refuse, or lose memory safety in a later call.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import box2dpy as b2

from ..fuzz.snapshots import joint_world, repair, rich_world, sections, split
from ..stepping import advance

TABLES = (Path(__file__).resolve().parents[2] / "csrc/state/tables.def").read_text(encoding="utf-8")
NAN, MOST = float("nan"), 2**31 - 1


class Bytes:
    """The rows of a snapshot, to be changed."""

    def __init__(self, world: b2.World) -> None:
        core, self.texts = split(world.snapshot(compress=False))
        self.core = bytearray(core)
        self.places = {name: (begin, end) for name, begin, end in sections(core)}

    def place(self, section: str, column: int, member: int, row: int) -> tuple[int, str]:
        """Where a number is, and its format. Rows are written column by column."""
        begin, end = self.places[section]
        rows, row_bytes = struct.unpack_from("<II", self.core, begin - 24)
        found = re.search(rf'\({re.escape(section)},.*STATE, (?:graph\.)?"([^"]*)"', TABLES)
        layout, before = (found[1] if found and found[1] else "*w"), 0
        for k, (count, letter) in enumerate(re.findall(r"(\d+|\*?)([a-wA-W])", re.sub(r"\d*[xyz]", "", layout))):
            size = {"b": 1, "t": 1, "h": 2, "G": 2, "q": 8}.get(letter, 4)
            members = (row_bytes - before) // size if count == "*" else int(count or 1)
            if k == column:
                at = begin + before * rows + (row * members + member) * size
                assert row < rows and member < members and at < end, (section, rows)
                return at, {1: "<b", 2: "<h", 4: "<i", 8: "<q"}[size]
            before += members * size
        raise AssertionError((section, column))

    def get(self, section: str, column: int, member: int, row: int) -> int:
        at, form = self.place(section, column, member, row)
        return int(struct.unpack_from(form, self.core, at)[0])

    def set(self, section: str, column: int, member: int, row: int, value: float) -> None:
        at, form = self.place(section, column, member, row)
        if isinstance(value, float):
            form = {"<i": "<f", "<q": "<d"}[form]
        struct.pack_into(form, self.core, at, value)

    def refused(self, match: str) -> None:
        assert repair(self.core)
        data = bytes(self.core) + self.texts
        with pytest.raises(b2.SnapshotError, match=match):
            b2.World.from_snapshot(data)


# Section, column, member, row (None: of some pentagon, joint and so on), value, and what the message says.
NUMBERS: tuple[tuple[str, int, int, int, float, str], ...] = (
    ("masses", 0, 7, 1, 2.0, "body 1: property 10 is 2"),
    ("masses", 0, 6, 1, NAN, "body 1: property 9 is nan"),
    ("masses", 0, 4, 1, -1.0, "body 1: property 7 is -1"),
    ("graph.bodies", 11, 0, 1, MOST, "section graph.bodies"),
    ("graph.bodies", 11, 1, 1, NAN, "section graph.bodies"),
    ("graph.bodies", 11, 2, 1, -1.0, "section graph.bodies"),
    ("graph.bodies", 11, 3, 1, float("inf"), "section graph.bodies"),
    ("shapes_hot", 2, 0, 1, NAN, "section shapes_hot: a margin"),
    ("shapes_hot", 5, 3, 1, NAN, "shape 1: property 1 is nan"),
    ("shapes_hot", 5, 4, 1, -0.5, "shape 1: property 2 is -0.5"),
    ("shapes", 3, 1, 1, NAN, "shape 1: property 0 is nan"),
    ("shapes", 5, 0, 1, NAN, "shape 1: property 12 is nan"),
    ("material_rules.rows", 2, 0, 0, -1.0, "materials 1 and 2 is wrong"),
    ("material_rules.rows", 1, 0, 0, 7, "materials 7 and 2 is wrong"),
    ("graph.islands", 0, 3, 0, MOST, "section graph.islands"),
    ("counters", 0, 0, 7, -1, "section counters"),
    ("graph.joints", 6, 8, 0, 1.5, "joint 0 has a value"),
    ("graph.joints", 6, 8, 0, 3.0, "joint 0 has a value"),
    ("graph.joints", 6, 6, 0, NAN, "joint 0 has a value"),
    ("graph.joints", 8, 0, 0, 3, "section graph.joints: a gear couples no joint"),
    ("graph.joints", 9, 0, 0, -1, "the lists of gears lack 1"),
    ("graph.joints", 9, 0, 3, 5, "joint 3 lists gear 2, which is not on it"),
)


@pytest.mark.parametrize(("section", "column", "member", "row", "value", "match"), NUMBERS)
def test_a_number_that_no_setter_accepts_is_refused(
    section: str, column: int, member: int, row: int, value: float, match: str
) -> None:
    with rich_world(3) as world:
        data = Bytes(world)
    if section == "graph.islands":  # its rows are five numbers each
        member, row = 0, 5 * next(k for k in range(20) if data.get(section, 0, 0, 5 * k)) + 3
    data.set(section, column, member, row, value)
    data.refused(match)


def test_boxes_whose_distance_is_infinite_are_refused() -> None:
    with b2.World(broadphase="tree") as world:
        for k in range(30):
            world.create_dynamic_body((3 * k, 0)).create_shape(b2.Circle(0.5))
        world.step()
        data = Bytes(world)
    for columns, value in ((("fat_min_x", "old_min_x"), -3.0e38), (("fat_max_x", "old_max_x"), 3.0e38)):
        for column in columns:
            data.set(f"proxies.{column}", 0, 0, 7 if value < 0 else 9, value)
    data.refused("section proxies.fat_min_x: a box is out of range")


def test_two_shapes_with_one_second_hull_are_refused() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body()
        for _ in range(2):
            body.create_shape(b2.Polygon([(0.5, 0), (0.25, 0.4), (-0.25, 0.4), (-0.5, 0), (0, -0.4)]))
        data = Bytes(world)
    data.set("shapes_hot", 4, 0, 1, data.get("shapes_hot", 4, 0, 0))
    data.refused("section shapes_hot: two shapes have the same second hull")


def test_two_contacts_with_one_row_of_the_rest_pool_are_refused() -> None:
    with b2.World(sleep_time=0.1) as world:
        world.create_static_body().create_shape(b2.Box(20, 1))
        for k in range(3):
            world.create_dynamic_body((3 * k, 1.5)).create_shape(b2.Box(0.5, 0.5))
        advance(world, 60)
        assert not any(body.awake for body in world.bodies)
        data = Bytes(world)
    data.set("graph.contacts", 3, 0, 1, data.get("graph.contacts", 3, 0, 0))
    data.refused("section graph.contacts: two contacts have the same row")


def test_a_shape_that_is_missing_from_the_list_of_its_body_is_refused() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body()
        first, second = (body.create_shape(b2.Circle(0.5)) for _ in range(2))
        data = Bytes(world)
    data.set("graph.bodies", 0, 0, 0, first.index)
    data.set("graph.bodies", 1, 0, 0, 1)
    data.set("shapes", 0, 1, first.index, -1)
    assert second.index == 1
    data.refused("is not in the list of its body")


def test_a_joint_that_is_missing_from_the_lists_of_its_bodies_is_refused() -> None:
    with b2.World() as world:
        a, b = world.create_dynamic_body(), world.create_dynamic_body()
        world.create_filter_joint(a, b)
        data = Bytes(world)
    for body in (0, 1):
        data.set("graph.bodies", 5, 0, body, -1)
        data.set("graph.bodies", 6, 0, body, 0)
    for member in range(4):  # the joint is a list of its own on each side
        data.set("graph.joints", 1, member, 0, member % 2)
    data.refused("is not in the list of its body")


def test_a_chain_that_never_ends_is_refused_at_once() -> None:
    with b2.World() as world:
        world.create_static_body().create_chain([(0, 0), (0, 4), (4, 4), (4, 0)], loop=True)
        data = Bytes(world)
    links = [data.get("chain_links", 0, 1, row) for row in range(4)]
    data.set("chain_links", 0, 1, links.index(-1), data.get("chains", 1, 0, 0))
    data.set("chains", 2, 0, 0, MOST)
    data.refused("lists more than")


def test_a_block_of_another_cluster_than_its_list_is_refused() -> None:
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(50, 1))
        bodies = [world.create_dynamic_body((0, 100 + k)) for k in range(1100)]
        for k, body in enumerate(bodies):
            if k in (3, 1050):
                body.position = (k / 100, 1.2)
                body.create_shape(b2.Circle(0.2))
            else:
                body.destroy()
        world.step()
        data = Bytes(world)
    assert {data.get("graph.block_clusters", 0, 0, row) for row in (0, 1)} == {0, 1}
    data.set("graph.block_clusters", 0, 0, 0, data.get("graph.block_clusters", 0, 0, 1))
    data.refused("says cluster")


def test_an_overlap_of_another_shape_than_the_one_that_exists_is_refused() -> None:
    with b2.World() as world:
        world.create_static_body().create_shape(b2.Box(2, 2), sensor=True)
        world.create_dynamic_body().create_shape(b2.Circle(0.5), sensor_events=True)
        advance(world, 2)
        data = Bytes(world)
    data.set("overlaps.rows", 0, 2, 0, 1)
    data.refused("section overlaps.rows: a shape does not exist")


@pytest.mark.parametrize("value", [-1, 10**6])
def test_an_event_of_an_object_that_never_existed_is_refused(value: int) -> None:
    with b2.World(gravity=(0, -100)) as world:
        world.create_static_body().create_shape(b2.Box(20, 1), hit_events=True)
        world.create_dynamic_body((0, 1.5)).create_shape(b2.Circle(0.5), hit_events=True)
        while not world.events.contact_begin:
            world.step()
        assert world.events.contact_begin and world.events.body_move
        data = Bytes(world)
    for section, column in (("begin_events.rows", 1), ("move_events.rows", 1)):
        before = data.get(section, column, 0, 0)
        data.set(section, column, 0, 0, value)
        data.refused(f"section {section}")
        data.set(section, column, 0, 0, before)


def worlds_at_their_bounds() -> list[Callable[[], b2.World]]:
    def bodies() -> b2.World:
        world = b2.World()
        body = world.create_dynamic_body(
            linear_damping=1.0e30, angular_damping=1.0e30, gravity_scale=-1.0e9, sleep_threshold=1.0e30, safety_factor=1
        )
        body.create_shape(
            b2.Circle(0.5), density=1.0e30, friction=1.0e30, restitution=1.0e6, rolling_resistance=1.0e30,
            tangent_speed=-1.0e9,
        )  # fmt: skip
        body.angle = 1.0e9
        body.apply_force((1.0e30, 0))
        return world

    def joints() -> b2.World:
        world = joint_world()
        for joint in world.joints:
            for name in ("hertz", "damping_ratio", "joint_hertz", "motor_speed", "max_motor_torque", "ratio"):
                if hasattr(joint, name) and not isinstance(joint, b2.FilterJoint):
                    for value in (1.0e30, 1.0e9, 1.0e6):
                        try:
                            setattr(joint, name, value)
                        except ValueError:
                            continue
                        break
        world.body(1).angle = 1.0e9
        return world

    def destroyed() -> b2.World:
        world = rich_world(1)
        joint = next(each for each in world.joints if each.body_b.mass == 200)
        joint.destroy()  # of the plan of the direct solver, which is made anew in the next step
        world.create_revolute_joint(world.body(0), world.body(3), anchor=(0, 3))
        return world

    return [bodies, joints, destroyed]


@pytest.mark.parametrize("make", worlds_at_their_bounds())
def test_values_at_their_bounds_and_plans_that_are_out_of_date_are_read(make: Callable[[], b2.World]) -> None:
    with make() as world:
        data = world.snapshot(compress=False)
        with b2.World.from_snapshot(data) as other:
            assert other.snapshot(compress=False) == data
            for _ in range(10):
                assert other.state_hash() == world.state_hash()
                world.step()
                other.step()
