"""Records of all objects agree with the handles; drawings contain every object; errors name bad arguments."""

from __future__ import annotations

import math

import numpy as np
import pytest

import box2dpy as b2

from ..stepping import advance

FORMS = [
    b2.Circle(0.5, (0.1, 0.2)),
    b2.Capsule((-0.5, 0), (0.5, 0.1), 0.2),
    b2.Segment((-1, 0), (1, 0)),
    b2.Box(0.5, 0.3, radius=0.05),
    b2.Polygon([(math.cos(k), math.sin(k)) for k in range(7)]),
]


def test_shapes_have_the_geometry_of_their_handles() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body((3, 4), 0.5)
        made = [body.create_shape(form, color=0x123456 + k, material=k, sensor=k == 1) for k, form in enumerate(FORMS)]
        made[2].destroy()
        body.create_chain([(5, 0), (3, 0), (0, 0), (-5, 0)])
        rows = world.arrays.shapes
        assert rows["shape"].tolist() == [shape.index for shape in world.shapes]
        for row, shape in zip(rows, world.shapes, strict=True):
            assert row["body"] == shape.body.index
            assert row["generation"] == shape._generation
            assert (row["color"], row["material"], row["sensor"], row["enabled"]) == (
                shape.color,
                shape.material,
                shape.sensor,
                True,
            )
            geometry = shape.geometry
            points = list(zip(row["x"].tolist(), row["y"].tolist(), strict=True))[: row["count"]]
            if isinstance(geometry, b2.Circle):
                assert (row["type"], points, row["radius"]) == (0, [geometry.center], geometry.radius)
            elif isinstance(geometry, b2.Capsule):
                assert (row["type"], points, row["radius"]) == (1, [geometry.p1, geometry.p2], geometry.radius)
            elif isinstance(geometry, b2.Polygon):
                assert (row["type"], points, row["radius"]) == (3, list(geometry.vertices), geometry.radius)
            else:
                assert isinstance(geometry, b2.ChainSegment)
                assert (row["type"], points[:2]) == (4, [geometry.p1, geometry.p2])


def test_shape_version_changes_with_every_change_of_a_shape_and_not_with_steps() -> None:
    with b2.World() as world:
        ground = world.create_static_body()
        seen = {b2.lab.shape_version(world)}

        def changed() -> bool:
            now = b2.lab.shape_version(world)
            new = now not in seen
            seen.add(now)
            return new

        shape = ground.create_shape(b2.Box(5, 1))
        assert changed()
        ball = world.create_dynamic_body((0, 2))
        assert not changed()
        ball.create_shape(b2.Circle(0.5))
        assert changed()
        advance(world, 30)
        assert not changed()
        shape.color = 0xFF0000
        assert changed()
        shape.geometry = b2.Box(6, 1)
        assert changed()
        ground.create_chain([(5, 0), (3, 0), (0, 0), (-5, 0)])
        assert changed()
        ball.destroy()
        assert changed()


def test_body_records_have_type_island_and_sleep_state() -> None:
    with b2.World() as world:
        ground = world.create_static_body((0, -1))
        ground.create_shape(b2.Box(20, 1))
        gone = world.create_dynamic_body()
        pair = [world.create_dynamic_body((0, 0.5)), world.create_dynamic_body((0, 1.5))]
        alone = world.create_kinematic_body((5, 5), linear_velocity=(1, 0))
        off = world.create_dynamic_body((8, 8), enabled=False)
        for body in (*pair, alone, off):
            body.create_shape(b2.Box(0.5, 0.5))
        gone.destroy()
        world.step()
        rows = world.arrays.bodies
        assert rows["type"].tolist() == [0, -1, 2, 2, 1, 2]
        assert rows["enabled"].tolist() == [True, False, True, True, True, False]
        assert rows["island"][2] == rows["island"][3] != rows["island"][4]
        assert rows["island"][[0, 1, 5]].tolist() == [-1, -1, -1]
        assert rows["awake"].tolist()[2:5] == [True, True, True]
        advance(world, 120)
        assert world.arrays.bodies["awake"].tolist()[2:5] == [False, False, True]


def test_swept_bodies_are_marked_fast_in_that_step_only() -> None:
    with b2.World(gravity=(0, 0)) as world:
        world.create_static_body((50, 0)).create_shape(b2.Box(0.1, 20))
        shot = world.create_dynamic_body((0, 0), linear_velocity=(300, 0))
        shot.create_shape(b2.Circle(0.1))
        slow = world.create_dynamic_body((0, 5), linear_velocity=(1, 0))
        slow.create_shape(b2.Circle(0.1))
        fast = []
        for _ in range(20):
            world.step()
            rows = world.arrays.bodies
            assert not rows["fast"][slow.index]
            fast.append(bool(rows["fast"][shot.index]))
            assert rows["fast"].sum() == world.counters.continuous_bodies
        assert any(fast)


def test_joint_records_have_anchors_and_forces() -> None:
    with b2.World() as world:
        base = world.create_static_body((0, 5), 0.3)
        bob = world.create_dynamic_body((2, 5), -0.4)
        bob.create_shape(b2.Circle(0.3, (0.1, 0)))
        hinge = world.create_revolute_joint(base, bob, anchor=(0, 5), enable_limit=True, lower_angle=-1, upper_angle=1)
        pulley = world.create_pulley_joint(
            bob, world.create_dynamic_body((6, 5)), ground_anchor_a=(2, 9), ground_anchor_b=(6, 9),
            local_anchor_a=(0, 0), local_anchor_b=(0, 0),
        )  # fmt: skip
        advance(world, 30)
        rows = world.arrays.joints
        assert rows["joint"].tolist() == [hinge.index, pulley.index]
        row = rows[0]
        for side, body in (("a", base), ("b", bob)):
            local = getattr(hinge, f"local_anchor_{side}")
            assert (row[f"{side}x"], row[f"{side}y"]) == pytest.approx(body.world_point(local), abs=1e-5)
            assert (row[f"center_{side}x"], row[f"center_{side}y"]) == pytest.approx(body.world_center, abs=1e-5)
        assert (row["force_x"], row["force_y"]) == pytest.approx(hinge.constraint_force)
        assert row["torque"] == pytest.approx(hinge.constraint_torque)
        assert bool(row["limited"])
        assert (row["lower"], row["upper"]) == (-1, 1)
        assert math.remainder(row["angle_b"] - row["angle_a"] - hinge.angle, 2 * math.pi) == pytest.approx(0, abs=1e-5)
        assert (rows[1]["ground_ax"], rows[1]["ground_ay"], rows[1]["ground_bx"]) == (2, 9, 6)


@pytest.mark.parametrize("broadphase", ["grid", "tree", "brute"])
def test_boxes_contain_their_shapes_and_tree_nodes_contain_the_boxes(broadphase: str) -> None:
    with b2.World(broadphase=broadphase) as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(30, 1))
        for k in range(60):
            world.create_dynamic_body((k % 10, 1 + 1.1 * (k // 10))).create_shape(b2.Box(0.4, 0.4))
        advance(world, 5)
        tight, fat, nodes = (world.arrays.boxes(what) for what in ("tight", "fat", "nodes"))
        for rows, name in ((tight, "aabb"), (fat, "fat_aabb")):
            assert rows["shape"].tolist() == [shape.index for shape in world.shapes]
            for row, shape in zip(rows, world.shapes, strict=True):
                lower, upper = getattr(shape, name)
                assert (row["lower_x"], row["lower_y"], row["upper_x"], row["upper_y"]) == (*lower, *upper)
        assert (len(nodes) > 0) == (broadphase != "brute")
        moving = fat[1:]
        for row in moving if len(nodes) else []:
            covers = (
                (nodes["lower_x"] <= row["lower_x"]) & (nodes["upper_x"] >= row["upper_x"])
                & (nodes["lower_y"] <= row["lower_y"]) & (nodes["upper_y"] >= row["upper_y"])
            )  # fmt: skip
            assert covers.any()
        with pytest.raises(ValueError, match="what='tall'"):
            world.arrays.boxes("tall")


def test_bulk_records_of_a_closed_world_raise_destroyed_error() -> None:
    world = b2.World()
    arrays = world.arrays
    world.close()
    for name in ("bodies", "shapes", "joints", "contacts"):
        with pytest.raises(b2.DestroyedError):
            getattr(arrays, name)
    with pytest.raises(b2.DestroyedError):
        arrays.boxes()
    with pytest.raises(b2.DestroyedError):
        b2.lab.shape_version(world)
    assert isinstance(np.zeros(1), np.ndarray)


ALL_FLAGS = (
    "joints", "boxes", "fat_boxes", "nodes", "contacts", "normals", "forces", "friction", "joint_forces", "colors",
    "mass",
    "velocities", "islands", "ids",
)  # fmt: skip


def test_debug_draw_draws_the_expected_items() -> None:
    with b2.World() as world:
        world.create_static_body((0, -1)).create_shape(b2.Box(20, 1))
        boxes = [world.create_dynamic_body((2.0 * k, 0.5)) for k in range(3)]
        for box in boxes:
            box.create_shape(b2.Box(0.5, 0.5), density=2)
        advance(world, 10)
        count = {flag: world.debug_draw(None, flag) for flag in ALL_FLAGS}
        assert len(count["boxes"].line_ends) == len(count["fat_boxes"].line_ends) == 4 * 4
        assert len(count["contacts"].points) == len(count["normals"].line_ends) == 6
        assert len(count["islands"].line_ends) == 3 * 4
        assert [label.text for label in count["mass"].labels] == ["2 kg"] * 3
        assert len(count["ids"].labels) == 4
        assert not count["joints"]
        # normals point up, from the ground to the boxes or down; they are a quarter of a metre
        normals = count["normals"].line_ends
        assert np.allclose(np.hypot(normals[:, 2] - normals[:, 0], normals[:, 3] - normals[:, 1]), 0.25)
        # the forces carry the weights: sum of impulses times substep rate
        impulse = world.arrays.contacts["normal_impulse"].sum()
        assert impulse * 240 == pytest.approx(3 * 2 * 10, rel=0.02)
        # only what is in the view
        assert len(world.debug_draw(None, "contacts", view=(-1, -1, 1, 1)).points) == 2
        moved = world.debug_draw(None, "contacts", offset=(100, 0)).points
        assert np.allclose(moved[:, 0] - count["contacts"].points[:, 0], 100)
        with pytest.raises(ValueError, match="flag='shape'"):
            world.debug_draw(None, "shape")
        with pytest.raises(ValueError, match="scale"):
            world.debug_draw(None, "forces", scale=math.nan)


def test_a_draw_list_refuses_bad_points_and_colors() -> None:
    draw = b2.DrawList()
    for wrong in ((math.nan, 0), (0, math.inf)):
        with pytest.raises(ValueError):
            draw.line((0, 0), wrong)
        with pytest.raises(ValueError):
            draw.dot(wrong)
    with pytest.raises(ValueError, match="color='rde'"):
        draw.line((0, 0), (1, 1), "rde")
    with pytest.raises(ValueError, match="out of range"):
        draw.line((0, 0), (1, 1), 1 << 24)
    with pytest.raises(TypeError):
        draw.line((0, 0), (1, 1), None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        draw.lines([(0, 1, 2)])
    assert not draw


def test_svg_and_plot_contain_every_shape_once() -> None:
    with b2.World() as world:
        body = world.create_dynamic_body((1, 2), 0.3)
        for form in FORMS:
            body.create_shape(form)
        draw = world.debug_draw(None, "boxes", "mass")
        draw.text((1, 2), "<&>")
        text = world.to_svg(draw=draw)
        assert text == world.to_svg(draw=draw)
        assert text.startswith("<svg")
        assert text.count("<polygon") == 3
        assert text.count("<circle") == 1 + 1  # the circle, and the point at the centre of mass
        assert "&lt;&amp;&gt;" in text
        assert world._repr_svg_().startswith("<svg")
        with pytest.raises(ValueError, match="by='hue'"):
            world.to_svg(by="hue")
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("Agg")
        axes = world.plot(draw=draw)
        assert len(axes.collections[0].get_paths()) == 4  # closed shapes
        pyplot.close("all")
