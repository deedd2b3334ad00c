"""A program for the type checker: it must refuse the lines that end in `# error: CODE`, with that code, and no
others."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

import box2dpy as b2


def worlds() -> None:
    world = b2.World((0, -9.8), broadphase="tree", narrowphase="per_pair", simd="scalar", friction_mixing="min")
    b2.World(broadphase="octree")  # error: arg-type
    b2.World(simd="avx1024")  # error: arg-type
    b2.World(schedule="groups")  # error: arg-type
    b2.World(strategies=b2.lab.Strategies(order="random"))  # error: arg-type
    world.clone(strategies=b2.lab.Strategies(islands="dfs", warm_start="tags"), profiling="off")
    world.clone(islands="blobs")  # error: arg-type
    world.friction_mixing = "multiply"
    world.friction_mixing = "mean"  # error: assignment
    world.sleeping = "yes"  # error: assignment
    world.contact_hertz = 30
    world.sleep_time = "long"  # error: assignment
    rate: float = world.contact_hertz
    asleep: bool = world.sleeping
    boxes = world.arrays.boxes("fat")
    world.arrays.boxes("tall")  # error: arg-type
    print(rate, asleep, boxes)


def reports(world: b2.World) -> None:
    bodies: int = world.counters.bodies
    solve: float = world.profile.solve
    world.counters.bodeis  # error: attr-defined
    world.profile.slove  # error: attr-defined
    everything: dict[str, int] = world.counters.as_dict()
    print(bodies, solve, everything)


def bodies(world: b2.World) -> None:
    ground = world.create_static_body((0, -1), name="ground", enabled=True)
    world.create_static_body(linear_velocity=(1, 0))  # error: call-arg
    world.create_static_body(bullet=True)  # error: call-arg
    world.create_dynamic_body(np.zeros(2), 0.5, linear_velocity=(1, 0), bullet=True, data=object())
    world.create_dynamic_body(linear_damping="much")  # error: arg-type
    world.create_kinematic_body(liner_velocity=(1, 0))  # error: call-arg
    ground.type = "dynamic"
    ground.type = b2.BodyType.STATIC
    ground.type = "solid"  # error: assignment
    for body in ground.touching_bodies:
        both: bool = world.are_touching(ground, body)
        print(both)
    found: b2.Body = world.body(0)
    shape: b2.Shape = world.shape(0)
    world.body("ground")  # error: arg-type
    world.bodies[0]  # error: index
    others: Set[b2.Body] = world.bodies - {found}
    print(shape, others, len(world.bodies), found in world.bodies)


def shapes(body: b2.Body) -> None:
    body.create_shape(b2.Circle(1), density=2, friction=0.5, filter=b2.Filter(), one_way=(0, 1), data=3)
    body.create_shape(b2.Circle(1), frction=0.5)  # error: call-arg
    body.create_shape(b2.Circle(1), sensor="yes")  # error: arg-type
    body.create_shape(1)  # error: arg-type
    body.create_shapes([b2.Circle(1), b2.Box(1, 1)], density=2, update_mass=False)
    body.create_shapes([b2.Circle(1)], mass=2)  # error: call-arg
    body.create_chain([(3, 0), (2, 0), (0, 0)], loop=True, friction=0.1)
    body.create_chain(np.zeros((4, 2)), sensor=True)  # error: call-arg


def arrays(world: b2.World) -> None:
    row = world.create_bodies(np.zeros((3, 2)), geometry=b2.Circle(1), angles=[0, 1, 2], type="kinematic", density=2)
    world.create_bodies([(0, 0)], geometry=b2.Circle(1), type="fixed")  # error: arg-type
    world.create_bodies([(0, 0)], geometry=b2.Circle(1), update_mass=False)  # error: call-arg
    row.position = [(0, 0), (1, 0), (2, 0)]
    row.position = 2 * row.position
    row.linear_velocity = 0, 1
    row.awake = True
    row.enabled = np.array([True, False, True])
    row.world_center = (0, 0)  # error: assignment
    row.positoin  # error: attr-defined
    row.apply_force((0, 1), wake=False)
    row.apply_force((0, 1), awake=False)  # error: call-arg
    touching = world.are_touching(row, world.body(0))
    both: bool = world.are_touching(row, row)  # error: assignment
    world.are_touching(row, "ground")  # error: arg-type
    print(both)
    print(touching.any(), row.mass.sum())
