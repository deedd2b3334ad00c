"""Names that people bring from pymunk and the bindings of Box2D 2.3: using one raises an error that names ours.

`add_other_names` puts an attribute under each of them. The attributes raise `AttributeError` when they are read or
assigned, so `hasattr` is False, and `dir` does not list them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

OTHER_NAMES: dict[str, dict[str, str]] = {
    "Body": {
        "velocity": "linear_velocity",
        "linearVelocity": "linear_velocity",
        "angularVelocity": "angular_velocity",
        "linearDamping": "linear_damping",
        "angularDamping": "angular_damping",
        "damping": "linear_damping",
        "gravityScale": "gravity_scale",
        "moment": "inertia",
        "fixedRotation": "lock_rotation",
        "fixed_rotation": "lock_rotation",
        "body_type": "type",
        "center_of_gravity": "local_center",
        "localCenter": "local_center",
        "worldCenter": "world_center",
        "rotation_vector": "rotation",
        "transform": "position and rotation",
        "space": "world",
        "fixtures": "shapes",
        "userData": "data",
        "user_data": "data",
        "is_sleeping": "awake, its opposite",
        "sleep": "awake = False",
        "activate": "awake = True",
        "local_to_world": "world_point(point)",
        "world_to_local": "local_point(point)",
        "GetWorldPoint": "world_point(point)",
        "GetLocalPoint": "local_point(point)",
        "velocity_at_world_point": "velocity_at(point)",
        "apply_force_at_world_point": "apply_force(force, point)",
        "apply_force_at_local_point": "apply_force(body.world_vector(force), body.world_point(point))",
        "apply_force_to_center": "apply_force(force)",
        "apply_impulse_at_world_point": "apply_impulse(impulse, point)",
        "apply_impulse_at_local_point": "apply_impulse(body.world_vector(impulse), body.world_point(point))",
        "apply_linear_impulse": "apply_impulse(impulse, point)",
        "ApplyForce": "apply_force(force, point)",
        "ApplyForceToCenter": "apply_force(force)",
        "ApplyTorque": "apply_torque(torque)",
        "ApplyLinearImpulse": "apply_impulse(impulse, point)",
        "ApplyAngularImpulse": "apply_angular_impulse(impulse)",
        "create_fixture": "create_shape(geometry)",
        "add_shape": "create_shape(geometry)",
        "create_box": "create_shape(Box(half_width, half_height))",
        "create_circle": "create_shape(Circle(radius))",
        "create_polygon": "create_shape(Polygon(vertices))",
        "create_capsule": "create_shape(Capsule(p1, p2, radius))",
        "create_segment": "create_shape(Segment(p1, p2))",
        "CreateFixture": "create_shape(geometry)",
        "CreatePolygonFixture": "create_shape(Polygon(vertices))",
        "CreateCircleFixture": "create_shape(Circle(radius))",
        "CreateEdgeFixture": "create_shape(Segment(p1, p2))",
        "DestroyFixture": "shape.destroy()",
    },
    "Shape": {
        "elasticity": "restitution",
        "surface_velocity": "tangent_speed, along the surface",
        "collision_type": "filter, or data",
        "isSensor": "sensor",
        "is_sensor": "sensor",
        "userData": "data",
        "user_data": "data",
        "filterData": "filter",
        "bb": "aabb",
        "mass": "density, or body.mass",
        "radius": "geometry.radius",
        "point_query": "closest_point(point)",
        "segment_query": "ray_cast(origin, translation)",
    },
    "World": {
        "add": "create_dynamic_body(position) and body.create_shape(geometry)",
        "remove": "destroy() of the body, shape or joint",
        "static_body": "create_static_body()",
        "add_collision_handler": "on_contact_begin, on_filter and on_presolve",
        "on_collision": "on_contact_begin, on_filter and on_presolve",
        "add_post_step_callback": "events after step(): changes inside of callbacks wait for its end by themselves",
        "contactListener": "on_contact_begin and world.events",
        "iterations": "step(dt, substeps)",
        "threads": "workers",
        "num_threads": "workers",
        "allow_sleep": "sleeping",
        "doSleep": "sleeping",
        "continuousPhysics": "continuous",
        "warmStarting": "warm_starting",
        "sleep_time_threshold": "sleep_time",
        "create_pivot_joint": "create_revolute_joint(body_a, body_b, anchor=point)",
        "create_hinge_joint": "create_revolute_joint(body_a, body_b, anchor=point)",
        "create_pin_joint": "create_distance_joint(body_a, body_b, local_anchor_a=..., local_anchor_b=...)",
        "create_slide_joint": "create_rope_joint(body_a, body_b, max_length=...)",
        "create_spring_joint": "create_distance_joint(body_a, body_b, ..., stiffness=..., damping=...)",
        "create_spring": "create_distance_joint(body_a, body_b, ..., stiffness=..., damping=...)",
        "create_damped_spring": "create_distance_joint(body_a, body_b, ..., stiffness=..., damping=...)",
        "create_fixed_joint": "create_weld_joint(body_a, body_b, anchor=point)",
        "create_motor": "create_revolute_joint(body_a, body_b, anchor=point, motor_speed=..., max_motor_torque=...)",
        "create_mouse_joint": "MouseDrag(world)",
        "create_shape": "create_dynamic_body(position) and body.create_shape(geometry)",
        "create_circle": "create_dynamic_body(position) and body.create_shape(Circle(radius))",
        "create_box": "create_dynamic_body(position) and body.create_shape(Box(half_width, half_height))",
        "create_chain": "create_static_body() and body.create_chain(points)",
        "damping": "linear_damping of each body",
        "segment_query": "ray_cast_all(origin, translation)",
        "segment_query_first": "ray_cast(origin, translation)",
        "point_query_nearest": "nearest(point, max_distance)",
        "bb_query": "overlap_aabb(lower, upper)",
        "shape_query": "overlap_shape(geometry)",
        "Step": "step(dt, substeps)",
        "ClearForces": "nothing: forces last for one step",
        "add_body": "create_dynamic_body(position)",
        "CreateBody": "create_dynamic_body(position)",
        "CreateStaticBody": "create_static_body(position)",
        "CreateDynamicBody": "create_dynamic_body(position)",
        "CreateKinematicBody": "create_kinematic_body(position)",
        "CreateJoint": "create_revolute_joint(body_a, body_b) or another create_..._joint",
        "CreateRevoluteJoint": "create_revolute_joint(body_a, body_b)",
        "DestroyBody": "body.destroy()",
        "DestroyJoint": "joint.destroy()",
        "RayCast": "ray_cast(origin, translation)",
        "QueryAABB": "overlap_aabb(lower, upper)",
    },
    "Joint": {
        "a": "body_a",
        "b": "body_b",
        "bodyA": "body_a",
        "bodyB": "body_b",
        "anchor_a": "local_anchor_a",
        "anchor_b": "local_anchor_b",
        "localAnchorA": "local_anchor_a",
        "localAnchorB": "local_anchor_b",
        "collide_bodies": "collide_connected",
        "collideConnected": "collide_connected",
        "rate": "motor_speed",
        "motorSpeed": "motor_speed",
        "max_force": "max_motor_torque or max_motor_force",
        "maxMotorTorque": "max_motor_torque",
        "maxMotorForce": "max_motor_force",
        "enableMotor": "enable_motor",
        "motorEnabled": "enable_motor",
        "enableLimit": "enable_limit",
        "limitEnabled": "enable_limit",
        "lowerAngle": "lower_angle",
        "upperAngle": "upper_angle",
        "lowerTranslation": "lower_translation",
        "upperTranslation": "upper_translation",
        "frequency": "hertz",
        "frequencyHz": "hertz",
        "dampingRatio": "damping_ratio",
        "impulse": "constraint_force",
        "GetReactionForce": "constraint_force",
        "GetReactionTorque": "constraint_torque",
        "GetMotorTorque": "motor_torque",
        "userData": "data",
        "user_data": "data",
    },
    "Contact": {
        "fixtureA": "shape_a",
        "fixtureB": "shape_b",
        "shapes": "shape_a and shape_b",
    },
}
MODULE_NAMES = {  # names of these packages themselves
    "Space": "World",
    "Poly": "Polygon, in Body.create_shape",
    "Rectangle": "Box(half_width, half_height)",
    "Rect": "Box(half_width, half_height)",
    "Edge": "Segment",
    "Line": "Segment",
    "ShapeFilter": "Filter",
    "Vec2d": "Vec2",
    "BB": "AABB",
    "PinJoint": "World.create_distance_joint",
    "SlideJoint": "World.create_rope_joint",
    "PivotJoint": "World.create_revolute_joint",
    "DampedSpring": "World.create_distance_joint(..., stiffness=..., damping=...)",
    "DampedRotarySpring": "World.create_rotary_spring_joint",
    "RotaryLimitJoint": "the limits of World.create_revolute_joint",
    "SimpleMotor": "the motor of World.create_revolute_joint",
    "moment_for_box": "nothing: the inertia of a body follows from the density of its shapes",
    "moment_for_circle": "nothing: the inertia of a body follows from the density of its shapes",
    "moment_for_poly": "nothing: the inertia of a body follows from the density of its shapes",
    "b2World": "World",
    "b2Vec2": "Vec2",
    "b2AABB": "AABB",
    "b2Filter": "Filter",
    "b2BodyDef": "World.create_dynamic_body(position, ...)",
    "b2FixtureDef": "Body.create_shape(geometry, ...)",
    "b2PolygonShape": "Polygon or Box",
    "b2CircleShape": "Circle",
    "b2EdgeShape": "Segment",
    "b2ChainShape": "Body.create_chain",
    "b2ContactListener": "World.events, or World.on_contact_begin",
    "b2RayCastCallback": "World.ray_cast",
    "b2MouseJoint": "MouseDrag",
    "b2_dynamicBody": "World.create_dynamic_body",
    "b2_staticBody": "World.create_static_body",
    "b2_kinematicBody": "World.create_kinematic_body",
}
_IN_FILTER = ("category", "mask", "group", "categoryBits", "maskBits", "groupIndex")
_OF_MASS = ("mass", "inertia", "moment")
_KEYWORDS = {old: new for names in OTHER_NAMES.values() for old, new in names.items() if new.isidentifier()}


class _OtherName:
    """The attribute under a name that is not ours."""

    def __init__(self, owner: str, name: str, ours: str) -> None:
        self.message = f"{owner!r} object has no attribute {name!r}: use {ours}"

    def __get__(self, instance: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(self.message)

    def __set__(self, instance: object, value: object) -> NoReturn:
        raise AttributeError(self.message)


def add_other_names(owner: type) -> None:
    """Gives the class an attribute for each of the names that are not ours."""
    for name, ours in OTHER_NAMES[owner.__name__].items():
        if not any(name in base.__dict__ for base in owner.__mro__):
            setattr(owner, name, _OtherName(owner.__name__, name, ours))


class Tidy(type):
    """The type of the classes with such names: `dir` and `help` do not list them."""

    def __dir__(cls) -> list[str]:
        hidden = {name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, _OtherName)}
        return [name for name in super().__dir__() if name not in hidden]


def unexpected(function: str, name: str, known: Collection[str]) -> TypeError:
    """The error for a keyword that the function does not have, with the one that is probably meant."""
    import difflib  # only for errors: importing it takes 2 ms

    if name in _IN_FILTER and "filter" in known:
        return TypeError(
            f"{function}() got an unexpected keyword argument {name!r}: use filter=Filter(category, mask, group)"
        )
    if name in _OF_MASS and function.endswith(("_body", "_shape", "_shapes")):
        return TypeError(
            f"{function}() got an unexpected keyword argument {name!r}: the mass follows from the density of the "
            f"shapes; assign body.{'mass' if name == 'mass' else 'inertia'} when they are there"
        )
    near = [_KEYWORDS[name]] if _KEYWORDS.get(name) in known else difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
