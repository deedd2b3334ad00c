"""What a type checker knows about the public API. mypy --strict reads this file (test_types.py); nothing runs it.

A line with `# type: ignore[code]` is an error that mypy must find: mypy reports an ignore that is not needed.
"""

from __future__ import annotations

from typing_extensions import assert_type

import box2dpy as b2


def world_of_objects(body: b2.Body, shape: b2.Shape, joint: b2.Joint, contact: b2.Contact, many: b2.BodyArray) -> None:
    assert_type(body.world, b2.World)
    assert_type(shape.world, b2.World)
    assert_type(joint.world, b2.World)
    assert_type(contact.world, b2.World)
    assert_type(many.world, b2.World)
    body.world.step(1 / 60, 4)
    assert_type(body.world.ray_cast((0, 0), (1, 0)), b2.RayHit | None)
    assert_type(shape.body.world.create_dynamic_body(), b2.Body)


def world_parts(world: b2.World) -> None:
    assert_type(world.nearest((0, 0), 1.0), b2.NearestHit | None)
    assert_type(world.overlap_aabb((0, 0), (1, 1)), list[b2.Shape])
    assert_type(world.cast_mover(b2.Circle(1), (0, 0), (1, 0)), float)
    assert_type(world.material_pairs, dict[tuple[int, int], b2.MaterialPair])
    assert_type(world.debug_draw(None, "boxes"), b2.DrawList)
    assert_type(world.to_svg(size=(10, 10)), str)
    assert_type(world.to_svg(camera=b2.FollowCamera(world.body(0), width=8)), str)
    world.save_gif("film.gif", 30, camera=lambda: (0.0, 0.0, 1.0, 1.0), before_step=lambda number: None)
    world.save_gif("film.gif", theme="blue")  # type: ignore[arg-type]
    with b2.MovieWriter("film.mp4", camera=(0, 0, 1, 1)) as film:
        film.record(world, 30, draw=lambda draw: draw.dot((0, 0)))
        film.add(world, poses=b2.FixedStepper(world).interpolated())
    assert_type(b2.View((0, 0, 1, 1), 100, 100).to_world((3, 4)), b2.Vec2)
    world.apply_wind((1, 0), drag=0.5)
    world.explode((0, 0), radius=1.0)
    assert_type(world.resolve_overlaps(iterations=5), float)
    world.set_material_pair(1, 2, friction=0.5)
    world.explode((0, 0))  # type: ignore[call-arg]
    world.nearest((0, 0), 1.0, fliter=None)  # type: ignore[call-arg]


def joint_makers(world: b2.World, a: b2.Body, b: b2.Body) -> None:
    hinge = world.create_revolute_joint(a, b, anchor=(0, 0), enable_motor=True, collide_connected=True)
    assert_type(hinge, b2.RevoluteJoint)
    slider = world.create_prismatic_joint(a, b, frame_a=b2.Frame(), frame_b=b2.Frame())
    assert_type(world.create_distance_joint(a, b, local_anchor_a=(0, 0), local_anchor_b=(0, 0)), b2.DistanceJoint)
    assert_type(world.create_rope_joint(a, b, max_length=2.0, force_threshold=10.0), b2.DistanceJoint)
    assert_type(world.create_gear_joint(hinge, slider, ratio=2.0, data="any"), b2.GearJoint)
    assert_type(world.create_groove_joint(a, b, groove_start=(0, 0), groove_end=(1, 0)), b2.GrooveJoint)
    assert_type(world.create_mover_joint(a, b, linear_velocity=(1, 0)), b2.MoverJoint)
    assert_type(world.create_ratchet_joint(a, b, ratchet=0.5), b2.RatchetJoint)
    world.create_revolute_joint(a, b, anchor=(0, 0), enable_motr=True)  # type: ignore[call-arg]
    world.create_revolute_joint(a, b, anchor=(0, 0), joint_hertz="stiff")  # type: ignore[arg-type]
    world.create_revolute_joint(a, b, anchor=(0, 0), motor_speed="fast")  # type: ignore[arg-type]
    world.create_ratchet_joint(a, b, ratchet=0.5, anchor=(0, 0))  # type: ignore[call-arg]
    world.create_pulley_joint(a, b, anchor=(0, 0))  # type: ignore[call-arg]
    world.create_gear_joint(a, b)  # type: ignore[arg-type]
    hinge.lenght = 2.0  # type: ignore[attr-defined]
